package dev.ouroboros.keeper.template;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What keeps two API servers from running on one etcd, which they do during a change (docs/architecture.md, rule 5). Measured for
 * encryption: the server that lacks the other's key fails every list that holds a Secret written with it, while its /readyz says ok.
 * Each kind of change can be made in steps; the problem names the first.
 */
public final class ChangeCheck {
    private static final String ENCRYPTION = "encryption-provider-config";
    private static final String SIGNING = "service-account-signing-key-file";
    private static final String VERIFYING = "service-account-key-file";
    private static final String CLIENT_CA = "client-ca-file";

    /** Flags whose values must be the same in both servers, with the reason. */
    private static final List<Fixed> FIXED = List.of(
            new Fixed(
                    "service-cluster-ip-range",
                    "two servers would give out addresses of different ranges and repair each other's Services",
                    "it cannot be changed while the cluster runs"),
            new Fixed(
                    "etcd-prefix",
                    "the new server would serve an empty cluster",
                    "keep it: it says where in etcd the cluster is"),
            new Fixed(
                    "secure-port",
                    "clients, the front and the kubernetes Service lead to the port that it has",
                    "keep it"));

    private final Checkpoint running;
    private final Checkpoint next;
    private final CommandLine from;
    private final CommandLine to;
    private final List<Problem> problems = new ArrayList<>();

    private record Fixed(String flag, String why, String next) {}

    private ChangeCheck(Checkpoint running, Checkpoint next) {
        this.running = running;
        this.next = next;
        this.from = running.commandLine();
        this.to = next.commandLine();
    }

    /** Why {@code next} must not run beside {@code running}; empty when it may. */
    public static List<Problem> conflicts(Checkpoint running, Checkpoint next) {
        if (running.revision().equals(next.revision())) {
            return List.of();
        }
        ChangeCheck check = new ChangeCheck(running, next);
        check.version();
        check.shared();
        return List.copyOf(check.problems);
    }

    private void shared() {
        FIXED.forEach(this::fixed);
        encryption();
        clientAuthorities();
        serviceAccounts();
    }

    /**
     * Why {@code next} must not take the place of {@code running} for the sake of a server of another node; empty when it may. What stands between those two
     * already is no reason: else no template would lead out of it.
     *
     * @param server the other one's name, for people
     */
    public static List<Problem> conflictsBeside(
            String server, Checkpoint other, Optional<Checkpoint> running, Checkpoint next) {
        Set<String> already = running.map(
                        now -> apart(other, now).stream().map(Problem::where).collect(Collectors.toSet()))
                .orElse(Set.of());
        List<Problem> problems = new ArrayList<>();
        if (minorsApart(other, next)
                > Math.max(1, running.map(now -> minorsApart(other, now)).orElse(1))) {
            problems.add(beside(
                    server,
                    next.imagePath(),
                    next.version().orElseThrow().tag() + " is more than one minor version from "
                            + other.version().orElseThrow().tag(),
                    ""));
        }
        apart(other, next).stream()
                .filter(problem -> !already.contains(problem.where()))
                .map(problem -> beside(server, problem.where(), problem.what(), problem.expected()))
                .forEach(problems::add);
        return List.copyOf(problems);
    }

    private static Problem beside(String server, String where, String what, String expected) {
        return new Problem(
                ErrorCode.CHANGE_REFUSED,
                where,
                what + ", beside API server " + server,
                expected,
                "change that node first: turn it on if it is off, delete its Node if it is gone; or ask for what both serve");
    }

    /** What both must have alike, but for the version. */
    private static List<Problem> apart(Checkpoint other, Checkpoint next) {
        ChangeCheck check = new ChangeCheck(other, next);
        if (!other.revision().equals(next.revision())) {
            check.shared();
        }
        return check.problems;
    }

    private static int minorsApart(Checkpoint one, Checkpoint other) {
        return one.version()
                .flatMap(before -> other.version()
                        .map(after -> before.major() == after.major()
                                ? Math.abs(after.minor() - before.minor())
                                : Integer.MAX_VALUE))
                .orElse(0);
    }

    private void refuse(String flag, String what, String expected, String then) {
        problems.add(
                new Problem(ErrorCode.CHANGE_REFUSED, next.commandLinePath() + " --" + flag, what, expected, then));
    }

    private void version() {
        Optional<KubernetesVersion> before = running.version();
        Optional<KubernetesVersion> after = next.version();
        if (before.isEmpty() || after.isEmpty()) {
            return;
        }
        int step = after.get().major() == before.get().major()
                ? after.get().minor() - before.get().minor()
                : Integer.MAX_VALUE;
        if (step > 1 || step < 0) {
            String from = before.get().minorName();
            problems.add(new Problem(
                    ErrorCode.CHANGE_REFUSED,
                    next.imagePath(),
                    after.get().tag()
                            + (step < 0 ? " is older than " : " jumps over a minor version from ")
                            + before.get().tag(),
                    from + " or the minor version after it",
                    step < 0
                            ? "an older server deletes what it does not know: recover from a snapshot instead"
                            : "change to each minor version in turn"));
        }
    }

    private void fixed(Fixed fixed) {
        if (!from.value(fixed.flag()).equals(to.value(fixed.flag()))) {
            refuse(
                    fixed.flag(),
                    "changes: " + fixed.why(),
                    from.value(fixed.flag()).orElse("no such flag"),
                    fixed.next());
        }
    }

    private static Optional<String> file(Checkpoint of, String path) {
        return of.fileAt(path).map(content -> text(content));
    }

    private static String text(Content content) {
        return new String(content.bytes(), StandardCharsets.UTF_8);
    }

    /**
     * Whether both name the same file and neither checkpoint holds it, such as a file of the host: then it did not change with the
     * template.
     */
    private boolean isSameFileOfTheHost(String flag) {
        Optional<String> before = from.value(flag);
        return before.equals(to.value(flag))
                && before.flatMap(path -> file(running, path)).isEmpty()
                && before.flatMap(path -> file(next, path)).isEmpty();
    }

    private void encryption() {
        Optional<String> unchanged = from.value(ENCRYPTION).flatMap(path -> file(running, path));
        boolean isSame =
                unchanged.isPresent() && unchanged.equals(to.value(ENCRYPTION).flatMap(path -> file(next, path)));
        if (isSame || isSameFileOfTheHost(ENCRYPTION)) {
            return;
        }
        Optional<EncryptionKeys> before = keys(running, from);
        Optional<EncryptionKeys> after = keys(next, to);
        if (before.isEmpty() || after.isEmpty()) {
            refuse(
                    ENCRYPTION,
                    "cannot be compared with what the running server has",
                    "a file from a Secret, in JSON or in plain block YAML",
                    "write it so");
            return;
        }
        Set<String> unreadable = after.get().unreadableBy(before.get());
        if (!unreadable.isEmpty()) {
            refuse(
                    ENCRYPTION,
                    "writes " + String.join(", ", unreadable) + " with a key that the running server cannot read",
                    "first a change that adds the key behind the one that writes, then one that puts it in front",
                    "add the key as a reader first");
        }
        Set<String> lost = before.get().unreadableBy(after.get());
        if (!lost.isEmpty()) {
            refuse(
                    ENCRYPTION,
                    "cannot read " + String.join(", ", lost) + " as the running server writes it",
                    "the key that writes now among the keys that read",
                    "keep the old key as a reader until every object was written anew");
        }
    }

    private static Optional<EncryptionKeys> keys(Checkpoint of, CommandLine flags) {
        Optional<String> path = flags.value(ENCRYPTION);
        return path.isEmpty()
                ? Optional.of(EncryptionKeys.NONE)
                : file(of, path.get()).flatMap(EncryptionKeys::parse);
    }

    /** The last step of a rotation removes an authority; a replacement in one step leaves no client that both servers know. */
    private void clientAuthorities() {
        if (isSameFileOfTheHost(CLIENT_CA)) {
            return;
        }
        Set<String> before = certificates(running, from);
        Set<String> after = certificates(next, to);
        Set<String> shared = new HashSet<>(before);
        shared.retainAll(after);
        if (!before.isEmpty() && shared.isEmpty()) {
            refuse(
                    CLIENT_CA,
                    "trusts none of the authorities that the running server trusts: no client is known to both",
                    "the old authority beside the new one",
                    "change to a file with both, give every client a new certificate, then remove the old one");
        }
    }

    private static Set<String> certificates(Checkpoint of, CommandLine flags) {
        return flags.value(CLIENT_CA)
                .flatMap(path -> file(of, path))
                .map(PublicKeys::certificates)
                .orElse(Set.of());
    }

    private void serviceAccounts() {
        Optional<String> before = from.value(SIGNING).flatMap(path -> file(running, path));
        Optional<String> after = to.value(SIGNING).flatMap(path -> file(next, path));
        if (before.isEmpty() && after.isEmpty() && from.value(SIGNING).equals(to.value(SIGNING))) {
            return;
        }
        Optional<Set<String>> signsNow = before.flatMap(PublicKeys::publicKeys);
        Optional<Set<String>> signsNext = after.flatMap(PublicKeys::publicKeys);
        Optional<Set<String>> trustsNow = verifying(running, from);
        Optional<Set<String>> trustsNext = verifying(next, to);
        boolean sameKey = before.isPresent() && before.equals(after);
        if (sameKey && (signsNow.isEmpty() || trustsNext.isEmpty())) {
            return;
        }
        if (signsNow.isEmpty() || signsNext.isEmpty() || trustsNow.isEmpty() || trustsNext.isEmpty()) {
            refuse(
                    SIGNING,
                    "changes, and cannot be compared with --" + VERIFYING + " of the running server",
                    "keys in PEM files (PKCS #8, PKCS #1) from a Secret",
                    "keep the key");
            return;
        }
        if (!trustsNow.get().containsAll(signsNext.get())) {
            refuse(
                    SIGNING,
                    "signs tokens that the running server does not accept",
                    "first a change that adds the new public key to --" + VERIFYING + ", then one that signs with it",
                    "add the public key first");
        }
        if (!trustsNext.get().containsAll(signsNow.get())) {
            refuse(
                    VERIFYING,
                    "does not accept tokens that the running server signs",
                    "the public key of the running server's " + "--" + SIGNING,
                    "keep the old public key until every token was issued anew");
        }
    }

    private static Optional<Set<String>> verifying(Checkpoint of, CommandLine flags) {
        Set<String> keys = new LinkedHashSet<>();
        for (String path : flags.values(VERIFYING)) {
            Optional<Set<String>> found = file(of, path).flatMap(PublicKeys::publicKeys);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            keys.addAll(found.get());
        }
        return keys.isEmpty() ? Optional.empty() : Optional.of(keys);
    }
}
