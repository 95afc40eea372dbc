package dev.ouroboros.probe;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What to probe and how.
 *
 * @param interval between two requests of one client; a slow request does not delay the next one
 * @param timeout after which a request has failed, its retries included
 * @param readyPath what the new client asks
 * @param pooledPath what the pooled clients ask: not the readiness path, which says 500 while a server that is stopping still
 *     serves
 * @param namespace where the watched ConfigMap is written
 * @param configMap name of the watched ConfigMap; it is deleted at the end
 * @param writeInterval between two writes of it
 * @param awaitFirstAnswer whether failures before a client's first answer are not counted, for an endpoint that is yet to come
 */
public record ProbeOptions(
        Endpoint endpoint,
        Set<ClientKind> clients,
        Duration interval,
        Duration timeout,
        String readyPath,
        String pooledPath,
        String namespace,
        String configMap,
        Duration writeInterval,
        boolean awaitFirstAnswer) {
    public static final Duration DEFAULT_INTERVAL = Duration.ofMillis(50);
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final int WRITE_EVERY = 10;
    private static final String NAME = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

    public ProbeOptions {
        clients = Set.copyOf(clients);
        List<Problem> problems = new ArrayList<>();
        check(problems, !clients.isEmpty(), "clients", "no client is chosen", "at least one");
        check(problems, interval.toMillis() >= 1, "interval", "is " + interval, "at least 1 ms");
        check(problems, timeout.toMillis() >= 1, "timeout", "is " + timeout, "at least 1 ms");
        check(problems, writeInterval.toMillis() >= 1, "write interval", "is " + writeInterval, "at least 1 ms");
        check(problems, readyPath.startsWith("/"), "path", "is \"" + readyPath + "\"", "a path that begins with /");
        check(problems, pooledPath.startsWith("/"), "path", "is \"" + pooledPath + "\"", "a path that begins with /");
        check(problems, namespace.matches(NAME), "namespace", "is \"" + namespace + "\"", "a DNS label");
        check(problems, configMap.matches(NAME), "ConfigMap name", "is \"" + configMap + "\"", "a DNS label");
        check(
                problems,
                !clients.contains(ClientKind.WATCH) || endpoint.authenticated(),
                "clients",
                "a watching client needs an identity, and the kubeconfig's user has none",
                "a client certificate or token, or other clients");
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    /** All clients that the endpoint's identity allows, every 50 ms, each failure counted. */
    public static ProbeOptions of(Endpoint endpoint) {
        Set<ClientKind> clients = EnumSet.allOf(ClientKind.class);
        if (!endpoint.authenticated()) {
            clients.remove(ClientKind.WATCH);
        }
        return new ProbeOptions(
                endpoint,
                clients,
                DEFAULT_INTERVAL,
                DEFAULT_TIMEOUT,
                "/readyz",
                // kube-system is created by every API server for itself, so that it exists before anything else does.
                endpoint.authenticated() ? "/api/v1/namespaces/kube-system" : "/version",
                "default",
                "ouroboros-probe-" + ProcessHandle.current().pid(),
                DEFAULT_INTERVAL.multipliedBy(WRITE_EVERY),
                false);
    }

    public ProbeOptions withClients(Set<ClientKind> newClients) {
        return new ProbeOptions(
                endpoint,
                newClients,
                interval,
                timeout,
                readyPath,
                pooledPath,
                namespace,
                configMap,
                writeInterval,
                awaitFirstAnswer);
    }

    /** Also sets the interval of writes to ten times as much. */
    public ProbeOptions withInterval(Duration newInterval) {
        return new ProbeOptions(
                endpoint,
                clients,
                newInterval,
                timeout,
                readyPath,
                pooledPath,
                namespace,
                configMap,
                newInterval.multipliedBy(WRITE_EVERY),
                awaitFirstAnswer);
    }

    public ProbeOptions withTimeout(Duration newTimeout) {
        return new ProbeOptions(
                endpoint,
                clients,
                interval,
                newTimeout,
                readyPath,
                pooledPath,
                namespace,
                configMap,
                writeInterval,
                awaitFirstAnswer);
    }

    public ProbeOptions withConfigMap(String newNamespace, String newName) {
        return new ProbeOptions(
                endpoint,
                clients,
                interval,
                timeout,
                readyPath,
                pooledPath,
                newNamespace,
                newName,
                writeInterval,
                awaitFirstAnswer);
    }

    public ProbeOptions withAwaitFirstAnswer(boolean newAwaitFirstAnswer) {
        return new ProbeOptions(
                endpoint,
                clients,
                interval,
                timeout,
                readyPath,
                pooledPath,
                namespace,
                configMap,
                writeInterval,
                newAwaitFirstAnswer);
    }

    private static void check(List<Problem> problems, boolean holds, String where, String what, String expected) {
        if (!holds) {
            problems.add(new Problem(ErrorCode.BAD_USAGE, where, what, expected, "ouro probe --help"));
        }
    }
}
