package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * etcd's own program that makes a data directory of a snapshot. It must be of the minor version of the etcd that is to run on it: that etcd
 * reads what the tool writes, logs included.
 */
public final class RestoreTool {
    /** More revisions than a cluster makes between a snapshot and its loss; etcd's documentation proposes it. */
    private static final long REVISIONS = 1_000_000_000;

    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final Pattern VERSION = Pattern.compile("(?:etcdctl|etcdutl) version: (\\d+\\.\\d+\\.\\d+)");

    private final Processes processes;
    private final String program;
    private final KubernetesVersion version;

    private RestoreTool(Processes processes, String program, KubernetesVersion version) {
        this.processes = processes;
        this.program = program;
        this.version = version;
    }

    /**
     * Finds the tool.
     *
     * @param given by a person; empty for what is on the path
     * @throws ProblemException MISSING_TOOL with what was looked at
     */
    public static RestoreTool find(Processes processes, Optional<Path> given, EtcdPod etcd) {
        EtcdTools tools = new EtcdTools();
        List<String> names = given.map(path -> List.of(path.toString()))
                .orElseGet(() -> etcd.version().map(tools::restoring).orElseGet(tools::restoring));
        List<String> seen = new ArrayList<>();
        for (String name : names) {
            Optional<KubernetesVersion> version = versionOf(processes, name);
            boolean fits = version.isPresent()
                    && etcd.version()
                            .map(wanted ->
                                    wanted.minorName().equals(version.get().minorName()))
                            .orElse(true)
                    && tools.restoring(version.get())
                            .contains(Path.of(name).toFile().getName());
            if (fits) {
                return new RestoreTool(processes, name, version.get());
            }
            seen.add(name
                    + version.map(known -> " is of etcd " + known.minorName()).orElse(" is not there"));
        }
        throw ProblemException.of(
                ErrorCode.MISSING_TOOL,
                given.isPresent() ? "--etcd-tool" : "etcd's tool",
                String.join(", ", seen),
                etcd.version()
                        .map(wanted -> String.join(" or ", tools.restoring(wanted)) + " of etcd " + wanted.minorName()
                                + ", as the one to be restored")
                        .orElse("etcdutl or etcdctl that can restore a snapshot"),
                "etcd's image has it, or install it, and name it with --etcd-tool");
    }

    private static Optional<KubernetesVersion> versionOf(Processes processes, String name) {
        try {
            Result result = processes.run(Command.of(name, "version").withEnvironment("ETCDCTL_API", "3"));
            Matcher said = VERSION.matcher(result.output());
            return said.find() ? KubernetesVersion.parse(said.group(1)) : Optional.empty();
        } catch (ProblemException e) {
            if (e.problems().stream().allMatch(problem -> problem.code() == ErrorCode.MISSING_TOOL)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** @param checked whether the snapshot ends with a SHA-256 that the tool can check */
    public SnapshotUnpacker of(Path snapshot, boolean checked, EtcdPod etcd) {
        return new SnapshotUnpacker() {
            @Override
            public boolean raisesRevision() {
                return new EtcdTools().raisesRevision(version);
            }

            @Override
            public void unpack(Path directory, String token) {
                restore(snapshot, checked, etcd, directory, token, raisesRevision());
            }
        };
    }

    private void restore(
            Path snapshot, boolean checked, EtcdPod etcd, Path directory, String token, boolean raisesRevision) {
        List<String> command = new ArrayList<>(List.of(
                program,
                "snapshot",
                "restore",
                snapshot.toString(),
                "--data-dir=" + directory,
                "--name=" + etcd.memberName(),
                "--initial-advertise-peer-urls=" + etcd.peerUrls(),
                "--initial-cluster="
                        + Arrays.stream(etcd.peerUrls().split(",", -1))
                                .map(url -> etcd.memberName() + "=" + url)
                                .collect(Collectors.joining(",")),
                "--initial-cluster-token=" + token));
        if (!checked) {
            command.add("--skip-hash-check");
        }
        if (raisesRevision) {
            command.add("--bump-revision=" + REVISIONS);
            command.add("--mark-compacted");
        }
        processes
                .run(Command.of(command).withEnvironment("ETCDCTL_API", "3").withTimeout(LIMIT))
                .orThrow();
        // The tool syncs its files, but not every directory.
        processes
                .run(Command.of("sync", "--file-system", directory.toString()).withTimeout(LIMIT))
                .orThrow();
    }
}
