package dev.ouroboros.cli.status;

import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ApiServers;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Result;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro endpoints}. */
@picocli.CommandLine.Command(
        name = "endpoints",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lists the API servers to which clients may be sent: those that the kubernetes Service names, each asked itself,"
                    + " with the cluster's authority.",
            "For a load balancer, a name in the DNS, a hosts file. With --watch it goes on, and says so again when the list has"
                    + " changed; a list of none is never given: when no server is proven, the last one stays."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:at least one server is proven", "1:none is, or no API says which there are", "2:bad usage"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro endpoints",
            "  ouro endpoints -o hosts --api-name api.example.org",
            "  ouro endpoints --watch -o haproxy --exec 'cat >/run/servers.cfg && systemctl reload haproxy'"
        })
public final class EndpointsCommand implements Callable<Integer> {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);
    private static final Duration LONGEST_EXEC = Duration.ofMinutes(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(names = "--watch", description = "Go on, and give the list again when it has changed, until Ctrl-C.")
    private boolean watch;

    @Option(
            names = "--exec",
            paramLabel = "COMMAND",
            description = "Run this by sh with the list on its standard input, instead of printing it.")
    private Optional<String> exec = Optional.empty();

    @Option(
            names = "--api-name",
            paramLabel = "NAME",
            description =
                    "With -o hosts: the name that leads to them (default: that of the kubeconfig, if it has one).")
    private Optional<String> apiName = Optional.empty();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "TABLE",
            description = {
                "table: all, with what each says; json: the same;",
                "hosts: a line of /etc/hosts for each that is proven;",
                "haproxy: a server line of a backend for each that is proven (default: table)."
            })
    private EndpointsView.Format format = EndpointsView.Format.TABLE;

    @Override
    public Integer call() throws InterruptedException {
        Endpoint endpoint = target.requiredEndpoint();
        EndpointsView view = new EndpointsView(format, name(endpoint));
        try (ApiServers servers = ApiServers.of(endpoint, InstantSource.system())) {
            List<ApiServers.Seen> seen = servers.look();
            if (watch) {
                return watch(servers, seen, view);
            }
            if (isAnyProven(seen) || (!format.isForOthers() && exec.isEmpty())) {
                give(view.of(spec, seen));
            }
            return isAnyProven(seen) ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    private String name(Endpoint endpoint) {
        Optional<String> ofKubeconfig = Optional.of(endpoint.host()).filter(host -> !EndpointsView.isAddress(host));
        if (format == EndpointsView.Format.HOSTS
                && apiName.or(() -> ofKubeconfig).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--api-name",
                    "is missing, and the kubeconfig names an address: " + endpoint.host(),
                    "the name that clients use",
                    "add --api-name NAME");
        }
        return apiName.or(() -> ofKubeconfig).orElse("");
    }

    private static boolean isAnyProven(List<ApiServers.Seen> seen) {
        return seen.stream().anyMatch(ApiServers.Seen::isProven);
    }

    /** Watches the servers. When all are unhealthy at once, as while etcd elects a leader, those that were proven before stay listed. */
    private int watch(ApiServers servers, List<ApiServers.Seen> first, EndpointsView view) throws InterruptedException {
        List<ApiServers.Seen> seen = first;
        Optional<String> given = Optional.empty();
        // The reader of the list may have gone: then there is nobody to write to.
        while (!spec.commandLine().getOut().checkError()) {
            String text = view.of(spec, seen);
            if (isAnyProven(seen) && !given.equals(Optional.of(text)) && give(text)) {
                given = Optional.of(text);
            }
            Thread.sleep(LOOK_EVERY);
            seen = servers.look();
        }
        return ExitCode.DONE;
    }

    /** Runs the command or writes the file; a command that failed is run again with the next look. */
    private boolean give(String text) {
        if (exec.isEmpty()) {
            PrintWriter out = spec.commandLine().getOut();
            out.print(text);
            out.flush();
            return true;
        }
        PrintWriter err = spec.commandLine().getErr();
        try {
            Result result = ThisMachine.processes()
                    .run(Command.of("sh", "-c", exec.get()).withInput(text).withTimeout(LONGEST_EXEC));
            err.print(result.error());
            err.print(result.orThrow());
            return true;
        } catch (ProblemException e) {
            if (!watch) {
                throw e;
            }
            err.println("--exec: " + e.describe() + "; it is run again");
            return false;
        } finally {
            err.flush();
        }
    }
}
