package dev.ouroboros.change.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who still has a ServiceAccount token that another key than the new one signed.
 *
 * <p>The controller manager never signs a token anew: it fills only what is empty (kubernetes 1.20,
 * pkg/controller/serviceaccount/tokens_controller.go, secretUpdateNeeded). And an API server accepts a token of a Secret only as long
 * as the Secret holds it (pkg/serviceaccount/legacy.go), so signing in place would cut off every pod until its kubelet and its client
 * have read the new one. Therefore each token gets a successor: another Secret, first in its ServiceAccount's list, which is the one
 * that admission gives to new pods; the old one works until it is deleted. Tokens that pods are given through a projected volume are
 * exchanged by the kubelet, at the latest after their lifetime or a day, whichever is shorter (pkg/kubelet/token/token_manager.go).
 *
 * @param pending Secrets without a token, which the controller manager will sign
 * @param successors to be made
 * @param reordered ServiceAccounts with their successor as the first, as they are to be written
 * @param wrong successors with an old token: a controller manager that was about to end signed them
 * @param unused old tokens that have a successor and are in no pod
 * @param ending pods with an old token that end by themselves
 * @param remains who may still need an old token, for people
 */
public record TokenSecrets(
        List<String> pending,
        List<Json> successors,
        List<Json> reordered,
        List<Token> wrong,
        List<Token> unused,
        List<String> ending,
        List<String> remains) {
    static final String TYPE = "kubernetes.io/service-account-token";
    private static final String ACCOUNT = "kubernetes.io/service-account.name";
    private static final Duration LONGEST_KEPT = Duration.ofHours(24);
    /** A kubelet says that a pod has ended some seconds after its grace period; of a machine that is gone nobody says it. */
    private static final Duration BEHIND_GRACE = Duration.ofMinutes(1);

    private static final int SUFFIX = 10;
    private static final int LONGEST_NAME = 253;

    /** A Secret with a token. */
    public record Token(String namespace, String name, String uid) {
        String path() {
            return namespace + "/" + name;
        }
    }

    public TokenSecrets {
        pending = List.copyOf(pending);
        successors = List.copyOf(successors);
        reordered = List.copyOf(reordered);
        wrong = List.copyOf(wrong);
        unused = List.copyOf(unused);
        ending = List.copyOf(ending);
        remains = List.copyOf(remains);
    }

    /**
     * Judges a whole cluster.
     *
     * @param secrets of type {@link #TYPE}, of all namespaces
     * @param accounts ServiceAccounts of all namespaces
     * @param pods of all namespaces
     * @param key id of the new key
     * @param signsSince when the last API server began to sign with it
     */
    public static TokenSecrets of(
            List<Json> secrets, List<Json> accounts, List<Json> pods, String key, Instant signsSince, Instant now) {
        return new Judge(secrets, pods, key).judge(accounts, signsSince, now);
    }

    private static final class Judge {
        private final List<Json> secrets;
        private final List<Json> pods;
        private final String key;
        private final List<String> pending = new ArrayList<>();
        private final List<Json> successors = new ArrayList<>();
        private final List<Json> reordered = new ArrayList<>();
        private final List<Token> wrong = new ArrayList<>();
        private final List<Token> unused = new ArrayList<>();
        private final List<String> ending = new ArrayList<>();
        private final List<String> remains = new ArrayList<>();
        private final Set<String> succeeded = new TreeSet<>();

        private Judge(List<Json> secrets, List<Json> pods, String key) {
            this.secrets = secrets;
            this.pods = pods.stream().filter(Judge::isAlive).toList();
            this.key = key;
        }

        private TokenSecrets judge(List<Json> accounts, Instant signsSince, Instant now) {
            accounts.forEach(this::account);
            for (Json secret : secrets) {
                if (token(secret).isEmpty()) {
                    pending.add(path(secret));
                } else if (!isNew(secret) && !wrong.contains(asToken(secret))) {
                    old(secret, now);
                }
            }
            projected(signsSince, now);
            return new TokenSecrets(pending, successors, reordered, wrong, unused, ending, remains);
        }

        /** Judges by what admission gives to the account's pods: the first listed Secret that exists. */
        private void account(Json account) {
            List<Json> listed = account.at("secrets").items();
            List<Json> own = secrets.stream()
                    .filter(secret -> namespace(secret).equals(namespace(account))
                            && annotation(secret).equals(name(account)))
                    .toList();
            List<Json> given = listed.stream()
                    .flatMap(entry -> own.stream().filter(secret -> name(secret).equals(text(entry, "name"))))
                    .toList();
            if (given.stream().allMatch(this::isNew)) {
                return;
            }
            String successor = successorOf(name(account));
            Optional<Json> made = own.stream()
                    .filter(secret -> name(secret).equals(successor))
                    .findFirst();
            if (made.isEmpty()) {
                successors.add(successor(account, successor));
            } else if (token(made.get()).isPresent() && !isNew(made.get())) {
                wrong.add(asToken(made.get()));
            } else if (!name(given.getFirst()).equals(successor)) {
                List<Json> order = new ArrayList<>(List.of(Json.object().with("name", Json.text(successor))));
                listed.stream()
                        .filter(entry -> !text(entry, "name").equals(successor))
                        .forEach(order::add);
                reordered.add(((Json.Fields) account).with("secrets", new Json.Items(order)));
            } else {
                given.stream().filter(secret -> !isNew(secret)).forEach(secret -> succeeded.add(path(secret)));
            }
        }

        private String successorOf(String account) {
            String suffix = "-token-"
                    + key.toLowerCase(java.util.Locale.ROOT)
                            .replaceAll("[^a-z0-9]", "0")
                            .substring(0, SUFFIX);
            return account.substring(0, Math.min(account.length(), LONGEST_NAME - suffix.length())) + suffix;
        }

        private static Json successor(Json account, String name) {
            return Json.object()
                    .with("apiVersion", Json.text("v1"))
                    .with("kind", Json.text("Secret"))
                    .with(
                            "metadata",
                            Json.object()
                                    .with("name", Json.text(name))
                                    .with("namespace", Json.text(namespace(account)))
                                    .with("annotations", Json.object().with(ACCOUNT, Json.text(name(account)))))
                    .with("type", Json.text(TYPE));
        }

        private void old(Json secret, Instant now) {
            List<Json> users = pods.stream()
                    .filter(pod -> namespace(pod).equals(namespace(secret)) && mounts(pod, name(secret)))
                    .toList();
            users.forEach(pod -> {
                String use = " has the old token of Secret " + name(secret);
                if (ends(pod, now)) {
                    ending.add("pod " + path(pod) + ", which" + use + ", to end");
                } else {
                    remains.add("pod " + path(pod) + use + ": restart it (kubectl rollout restart its workload)");
                }
            });
            if (succeeded.contains(path(secret))) {
                if (users.isEmpty()) {
                    unused.add(asToken(secret));
                }
            } else if (users.isEmpty()) {
                remains.add(
                        "Secret " + path(secret) + " has an old token and was made by hand: whoever uses it needs a"
                                + " new one (remove data.token and the controller manager signs it anew, or delete the Secret)");
            }
        }

        private static Token asToken(Json secret) {
            return new Token(namespace(secret), name(secret), text(secret.at("metadata"), "uid"));
        }

        private static boolean mounts(Json pod, String secret) {
            return pod.at("spec", "volumes").items().stream()
                    .anyMatch(volume -> volume.at("secret", "secretName").equals(Json.text(secret))
                            || volume.at("projected", "sources").items().stream()
                                    .anyMatch(source ->
                                            source.at("secret", "name").equals(Json.text(secret))));
        }

        /** Each kubelet exchanges projected tokens in time; one that was issued just before has its whole lifetime left. */
        private void projected(Instant signsSince, Instant now) {
            Instant last = pods.stream()
                    .filter(pod -> time(pod, "creationTimestamp")
                            .map(at -> at.isBefore(signsSince))
                            .orElse(true))
                    .flatMap(pod -> lifetime(pod).stream())
                    .map(lifetime -> lifetime.compareTo(LONGEST_KEPT) > 0 ? LONGEST_KEPT : lifetime)
                    .max(Comparator.naturalOrder())
                    .map(signsSince::plus)
                    .orElse(Instant.MIN);
            if (last.isAfter(now)) {
                remains.add("pods have tokens in projected volumes that their kubelets exchange until " + last);
            }
        }

        private static Optional<Duration> lifetime(Json pod) {
            return pod.at("spec", "volumes").items().stream()
                    .flatMap(volume -> volume.at("projected", "sources").items().stream())
                    .map(source -> source.at("serviceAccountToken"))
                    .filter(source -> !source.isNull())
                    .map(source -> Duration.ofSeconds(
                            source.at("expirationSeconds").integer().orElse(3600)))
                    .max(Comparator.naturalOrder());
        }

        private static boolean isAlive(Json pod) {
            String phase = pod.at("status", "phase").text().orElse("");
            return !phase.equals("Succeeded") && !phase.equals("Failed");
        }

        /** The time of its deletion is that at which its grace period is over. */
        private static boolean ends(Json pod, Instant now) {
            return time(pod, "deletionTimestamp")
                    .filter(end -> now.isBefore(end.plus(BEHIND_GRACE)))
                    .isPresent();
        }

        private static Optional<Instant> time(Json pod, String field) {
            try {
                return pod.at("metadata", field).text().map(Instant::parse);
            } catch (DateTimeParseException e) {
                return Optional.empty();
            }
        }

        private boolean isNew(Json secret) {
            return token(secret).flatMap(Judge::keyOf).equals(Optional.of(key));
        }

        private static Optional<String> token(Json secret) {
            return secret.at("data", "token").text().filter(token -> !token.isEmpty());
        }

        /** The key id in the header of a token; tokens of servers before 1.16 have none. */
        private static Optional<String> keyOf(String data) {
            try {
                String token = new String(Base64.getDecoder().decode(data), StandardCharsets.US_ASCII);
                String head = new String(
                        Base64.getUrlDecoder().decode(token.substring(0, Math.max(0, token.indexOf('.')))),
                        StandardCharsets.UTF_8);
                return JsonText.read(head).at("kid").text();
            } catch (MalformedJson | IllegalArgumentException e) {
                // Not a token of any server: nobody accepts it, and it is replaced as an old one.
                return Optional.empty();
            }
        }

        private static String annotation(Json secret) {
            return secret.at("metadata", "annotations", ACCOUNT).text().orElse("");
        }

        private static String path(Json object) {
            return namespace(object) + "/" + name(object);
        }

        private static String namespace(Json object) {
            return text(object.at("metadata"), "namespace");
        }

        private static String name(Json object) {
            return text(object.at("metadata"), "name");
        }

        private static String text(Json value, String field) {
            return value.at(field).text().orElse("");
        }
    }
}
