package dev.ouroboros.images.debian;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.BinaryCache;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.packages.PackageListener;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Binaries from Debian's own {@code kubernetes} source package, built once, with etcd from Debian's binary packages, which are
 * unpacked but not installed (they would start services).
 *
 * <p>The steps, each safe to be killed in:
 *
 * <ol>
 *   <li>A complete cache entry is used as it is: no apt call, no lock.
 *   <li>The lock is taken; a second process waits here and then finds the first one's entry.
 *   <li>Work directories that a killed process left are removed.
 *   <li>Free space is checked, the build's own packages are installed, the source is downloaded, unpacked, mended where a library in it
 *       does not fit the Go that there is, and compiled in a work directory beside the entries.
 *   <li>The work directory's {@code bin} becomes the entry by a rename. Everything else in it is removed.
 * </ol>
 */
public final class DebianSource {
    /** Source, Go's cache and the result of 1.20.2 take 3.3 GiB at their peak. */
    static final long NEEDED_BYTES = 4L << 30;

    private static final String SOURCE_PACKAGE = "kubernetes";
    private static final String WORK_PREFIX = ".work-";
    private static final String GUARD = "guard";
    private static final List<String> BUILD_PACKAGES = List.of("dpkg-dev", "gcc", "libc6-dev", "make", "rsync");
    private static final List<String> ETCD_PACKAGES = List.of("etcd-server", "etcd-client");
    private static final Pattern ETCD_VERSION = Pattern.compile("(?m)^etcd Version: (\\S+)$");

    private final Processes processes;
    private final Disk disk;
    private final DebianPackages packages;
    private final InstantSource clock;
    private final Path directory;
    private final Path formerDirectory;
    private final BinaryCache cache;

    public DebianSource(
            Processes processes,
            Disk disk,
            DebianPackages packages,
            InstantSource clock,
            CacheDirectory cacheDirectory) {
        this.processes = processes;
        this.disk = disk;
        this.packages = packages;
        this.clock = clock;
        this.directory = cacheDirectory.debian();
        this.formerDirectory = cacheDirectory.formerDebian();
        this.cache = new BinaryCache(disk, directory, "Debian source package kubernetes");
    }

    /** What is there without doing anything: of this version, or the newest. */
    public Optional<Binaries> cached(Optional<String> kubernetesVersion) {
        return cache.find(kubernetesVersion);
    }

    /** From the cache, or built. */
    public Binaries resolve(BinaryRequest request) {
        return cached(request.kubernetesVersion()).orElseGet(() -> build(request));
    }

    private Binaries build(BinaryRequest request) {
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        Runnable waiting = () -> request.progress().say("another ouro is building Kubernetes: waiting for it to end");
        try (ExclusiveLock _ = ExclusiveLock.await(directory.resolve(".lock"), "build of Kubernetes", waiting)) {
            Optional<Binaries> builtMeanwhile = cached(request.kubernetesVersion());
            return builtMeanwhile.isPresent() ? builtMeanwhile.get() : buildLocked(request);
        }
    }

    private Binaries buildLocked(BinaryRequest request) {
        removeAbandonedWork();
        disk.deleteTree(formerDirectory);
        requireSpace();
        Path work = directory.resolve(WORK_PREFIX + ProcessHandle.current().pid() + "-"
                + clock.instant().toEpochMilli());
        Path entry = work.resolve("entry");
        disk.createDirectories(entry.resolve("bin"), "rwxr-xr-x");
        try {
            return fill(request, work, entry);
        } catch (ProblemException e) {
            throw isDiskFull(e) ? diskFull(directory, disk.usableBytes(directory)) : e;
        } finally {
            disk.deleteTree(work);
        }
    }

    private Binaries fill(BinaryRequest request, Path work, Path entry) {
        Progress progress = request.progress();
        Apt apt = new Apt(processes, disk, work.resolve("apt"));
        packages.ensure(List.of("dpkg-dev"), request.installAllowed(), listener(progress));
        apt.update(progress);
        SourceVersion version = apt.sourceVersion(SOURCE_PACKAGE).orElseThrow(DebianSource::noSourcePackage);
        request.requireVersion(version.kubernetes(), "Debian's source package kubernetes " + version.packageVersion());
        String go = goPackage(apt, version);
        packages.ensure(
                Stream.concat(BUILD_PACKAGES.stream(), Stream.of(go)).toList(),
                request.installAllowed(),
                listener(progress));
        String etcdVersion = unpackEtcd(apt, work, entry.resolve("bin"), progress);
        Path tree = unpackSource(apt, version, work, progress);
        mend(VendoredLibrary.REFLECT2, apt, tree, work, progress);
        progress.say("building Kubernetes " + version.kubernetes() + " with " + go + " (7 CPU minutes, once)");
        new KubernetesBuild(processes, disk, clock, work)
                .run(tree, version, GoPackages.programs(go), work.resolve(GUARD), entry.resolve("bin"), progress);
        Map<Binary.Project, String> versions = new EnumMap<>(Binary.Project.class);
        versions.put(Binary.Project.KUBERNETES, version.kubernetes());
        versions.put(Binary.Project.ETCD, etcdVersion);
        versions.put(Binary.Project.PAUSE, version.kubernetes());
        return cache.publish(entry, version.packageVersion(), versions);
    }

    private static String goPackage(Apt apt, SourceVersion version) {
        List<String> names = GoPackages.inOrder(version);
        return names.stream()
                .filter(apt::offers)
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.MISSING_TOOL,
                        "Debian packages",
                        "none of " + String.join(", ", names) + " is offered",
                        "one of them, to build Kubernetes " + version.kubernetes(),
                        "add Debian's archive to apt's sources"));
    }

    private Path unpackSource(Apt apt, SourceVersion version, Path work, Progress progress) {
        Path download = work.resolve("source");
        disk.createDirectories(download, "rwxr-xr-x");
        progress.say("downloading Debian's source package kubernetes " + version.packageVersion());
        Path description = apt.downloadSource(SOURCE_PACKAGE, version, download);
        Path tree = work.resolve("tree");
        processes
                .run(Command.of("dpkg-source", "--extract", description.toString(), tree.toString())
                        .withDirectory(work)
                        .withTimeout(Duration.ofMinutes(10)))
                .orThrow();
        return tree;
    }

    private void mend(VendoredLibrary library, Apt apt, Path tree, Path work, Progress progress) {
        if (library.isUnfitIn(disk, tree)) {
            progress.say("taking " + library.importPath() + " from Debian's package " + library.debianPackage());
            Path unpacked = work.resolve("library");
            apt.unpack(List.of(library.debianPackage()), unpacked);
            library.replaceIn(disk, tree, unpacked);
        }
    }

    private String unpackEtcd(Apt apt, Path work, Path bin, Progress progress) {
        progress.say("downloading Debian's packages " + String.join(" and ", ETCD_PACKAGES));
        Path root = work.resolve("etcd");
        apt.unpack(ETCD_PACKAGES, root);
        for (Binary binary : Binary.of(Binary.Project.ETCD)) {
            Path program = root.resolve("usr/bin").resolve(binary.fileName());
            // The packages of etcd 3.4 have no etcdutl.
            if (binary != Binary.ETCDUTL || disk.status(program).isPresent()) {
                disk.copy(program, bin.resolve(binary.fileName()), "rwxr-xr-x");
            }
        }
        String said = processes
                .run(Command.of(bin.resolve(Binary.ETCD.fileName()).toString(), "--version"))
                .orThrow();
        Matcher version = ETCD_VERSION.matcher(said);
        if (!version.find()) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    "etcd --version",
                    "printed no version: " + said,
                    "'etcd Version: ...'",
                    "run 'etcd --version' by hand; apt-get install --reinstall etcd-server puts Debian's back");
        }
        return version.group(1);
    }

    /** A build that outlived its parent still holds the guard: its directory is left to it, and to a later run. */
    private void removeAbandonedWork() {
        for (String name : disk.list(directory)) {
            Path work = directory.resolve(name);
            if (name.startsWith(WORK_PREFIX)
                    && processes
                            .run(Command.of(
                                    "flock", "--nonblock", work.resolve(GUARD).toString(), "true"))
                            .succeeded()) {
                disk.deleteTree(work);
            }
        }
    }

    private void requireSpace() {
        long available = disk.usableBytes(directory);
        if (available < NEEDED_BYTES) {
            throw diskFull(directory, available);
        }
    }

    /** Whatever child met it says so in the words of the C library. */
    private static boolean isDiskFull(ProblemException failure) {
        return failure.problems().stream()
                .anyMatch(problem -> problem.what().toLowerCase(Locale.ROOT).contains("no space left on device"));
    }

    static ProblemException diskFull(Path where, long available) {
        return ProblemException.of(
                ErrorCode.DISK,
                where.toString(),
                "%.1f GiB are free".formatted(available / (double) (1 << 30)),
                "%.1f GiB to build Kubernetes from source".formatted(NEEDED_BYTES / (double) (1 << 30)),
                "free some, or set XDG_CACHE_HOME to a directory on another disk");
    }

    private static ProblemException noSourcePackage() {
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                "apt's package sources",
                "offer no source package kubernetes",
                "Debian's archive, as in Debian 12",
                "add Debian's archive to apt's sources, or use --binaries release or --binaries DIR");
    }

    private static PackageListener listener(Progress progress) {
        return new PackageListener() {
            @Override
            public void installing(List<String> names) {
                progress.say("installing Debian packages: " + String.join(" ", names));
            }

            @Override
            public void progress(String line) {
                if (line.startsWith("E:") || line.startsWith("Setting up ")) {
                    progress.say(line);
                }
            }
        };
    }
}
