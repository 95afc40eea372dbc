package dev.ouroboros.node.packages;

import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Installs Debian packages without starting the services in them.
 *
 * <p>Maintainer scripts start services through {@code invoke-rc.d} and {@code deb-systemd-invoke}, which they find on the
 * PATH that apt hands to dpkg. apt gets a PATH on which our own two, which do nothing, come first. Unlike a
 * {@code /usr/sbin/policy-rc.d} this leaves nothing behind on the host, also when we are killed, and unlike the environment
 * variable {@code RUNLEVEL} it holds under systemd too.
 */
public final class DebianPackages {
    /** Where the two scripts are while apt runs; not below /run or /tmp, which can be mounted noexec. */
    public static final Path DEFAULT_SCRATCH = Path.of(StateLayout.DIRECTORY);

    private static final Duration INSTALL_TIMEOUT = Duration.ofMinutes(30);
    private static final Duration LOCK_TIMEOUT = Duration.ofMinutes(10);
    private static final String SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final List<String> SERVICE_STARTERS = List.of("invoke-rc.d", "deb-systemd-invoke");
    private static final String DO_NOTHING =
            "#!/bin/sh\n# Services are not started when ouro installs packages.\nexit 0\n";
    private static final int LINES_TO_REPORT = 12;

    private final Processes processes;
    private final Disk disk;
    private final Path scratch;

    public DebianPackages(Processes processes, Disk disk, Path scratch) {
        this.processes = processes;
        this.disk = disk;
        this.scratch = scratch;
    }

    /** Those of {@code packages} that are not completely installed, in their order. */
    public List<String> missing(Collection<String> packages) {
        if (packages.isEmpty()) {
            return List.of();
        }
        List<String> query =
                new ArrayList<>(List.of("dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\\n"));
        query.addAll(packages);
        // Exit code 1: some package is unknown, and the others are printed. Anything above: dpkg's database is
        // unusable.
        Result result = processes.run(Command.of(query).withEnvironment("LC_ALL", "C.UTF-8"));
        if (result.exitCode() > 1) {
            result.orThrow();
        }
        Set<String> installed = new HashSet<>();
        result.output()
                .lines()
                .filter(line -> line.endsWith(" installed"))
                .forEach(line -> installed.add(line.substring(0, line.indexOf(' '))));
        return packages.stream().filter(name -> !installed.contains(name)).toList();
    }

    /**
     * Installs those of {@code packages} that are missing, after telling the listener.
     *
     * @return what was missing
     * @throws ProblemException MISSING_TOOL with the command to type when something is missing and {@code allowed} is false
     */
    public List<String> ensure(Collection<String> packages, boolean allowed, PackageListener listener) {
        List<String> missing = missing(packages);
        if (missing.isEmpty()) {
            return missing;
        }
        if (!allowed) {
            throw ProblemException.of(
                    ErrorCode.MISSING_TOOL,
                    "Debian packages",
                    "missing: " + String.join(" ", missing),
                    "",
                    "run: apt-get install --no-install-recommends " + String.join(" ", missing));
        }
        listener.installing(missing);
        install(missing, listener);
        return missing;
    }

    /** Installs from the package lists as they are; when that fails, refreshes the lists and tries once more. */
    private void install(List<String> packages, PackageListener listener) {
        Path own = scratch.resolve("packages-" + ProcessHandle.current().pid());
        boolean madeScratch = !Files.isDirectory(scratch);
        disk.createDirectories(own, Disk.OWNER_ONLY_DIRECTORY);
        try {
            for (String starter : SERVICE_STARTERS) {
                disk.write(own.resolve(starter), DO_NOTHING.getBytes(StandardCharsets.UTF_8), "rwx------");
            }
            Command install = installing(packages, own);
            if (run(install, listener).succeeded()) {
                return;
            }
            listener.progress("refreshing the package lists");
            // A repository that cannot be reached must not stand in the way of those that can: the install decides.
            run(apt(List.of("update")), listener);
            Attempt second = run(install, listener);
            if (!second.succeeded()) {
                throw ProblemException.of(
                        ErrorCode.PROCESS_FAILED,
                        "apt-get install " + String.join(" ", packages),
                        "exit code " + second.exitCode() + ": " + second.lastLines(),
                        "",
                        "install these packages as root, then run this again");
            }
        } finally {
            disk.deleteTree(own);
            if (madeScratch && disk.list(scratch).isEmpty()) {
                disk.delete(scratch);
            }
        }
    }

    private static Command installing(List<String> packages, Path own) {
        List<String> arguments = new ArrayList<>(List.of("install", "--yes", "--no-install-recommends"));
        arguments.addAll(List.of("-o", "DPkg::Path=" + own + ":" + SYSTEM_PATH));
        arguments.addAll(List.of("-o", "DPkg::Options::=--force-confdef", "-o", "DPkg::Options::=--force-confold"));
        arguments.add("--");
        arguments.addAll(packages);
        return apt(arguments);
    }

    private static Command apt(List<String> arguments) {
        List<String> all =
                new ArrayList<>(List.of("apt-get", "-q", "-o", "DPkg::Lock::Timeout=" + LOCK_TIMEOUT.toSeconds()));
        all.addAll(arguments);
        return Command.of(all)
                .withEnvironment("DEBIAN_FRONTEND", "noninteractive")
                .withEnvironment("LC_ALL", "C.UTF-8")
                .withTimeout(INSTALL_TIMEOUT);
    }

    private Attempt run(Command command, PackageListener listener) {
        Deque<String> last = new ArrayDeque<>();
        Result result = processes.stream(command, line -> {
            if (last.size() == LINES_TO_REPORT) {
                last.removeFirst();
            }
            last.addLast(line);
            listener.progress(line);
        });
        return new Attempt(result.exitCode(), List.copyOf(last));
    }

    private record Attempt(int exitCode, List<String> lines) {
        boolean succeeded() {
            return exitCode == 0;
        }

        String lastLines() {
            return String.join(" | ", lines);
        }
    }
}
