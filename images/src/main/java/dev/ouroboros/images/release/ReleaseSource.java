package dev.ouroboros.images.release;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.BinaryCache;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Binaries from the projects' own downloads, each verified by the checksum beside it. A work directory that an interrupted
 * download left is used again: every file in it is either complete and verified anew, or goes on where it stopped.
 */
public final class ReleaseSource {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration REACHABLE_TIMEOUT = Duration.ofSeconds(2);

    /** Six Kubernetes binaries, etcd, and etcd's archive; 0.7 GiB for 1.36. */
    private static final long NEEDED_BYTES = 1L << 30;

    private final Processes processes;
    private final Disk disk;
    private final Path directory;
    private final Architecture architecture;
    private final ReleaseLocations locations;
    private final ProxyEnvironment proxy;
    private final BinaryCache cache;
    private final Downloader downloader;

    public ReleaseSource(
            Processes processes,
            Disk disk,
            CacheDirectory cacheDirectory,
            Architecture architecture,
            ReleaseLocations locations,
            ProxyEnvironment proxy) {
        this.proxy = proxy;
        this.processes = processes;
        this.disk = disk;
        this.directory = cacheDirectory.release();
        this.architecture = architecture;
        this.locations = locations;
        this.cache = new BinaryCache(disk, directory, "official release");
        this.downloader = new Downloader(disk, proxy, CONNECT_TIMEOUT, READ_TIMEOUT);
    }

    /** What is there without doing anything: of this version, or the newest. */
    public Optional<Binaries> cached(Optional<String> kubernetesVersion) {
        return cache.find(kubernetesVersion);
    }

    /** Whether the downloads answer within two seconds, name resolution included. */
    public boolean reachable() {
        Downloader quick = new Downloader(disk, proxy, REACHABLE_TIMEOUT, REACHABLE_TIMEOUT);
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(quick.answers(locations.stableVersion()));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer.completeOnTimeout(false, REACHABLE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** From the cache, or downloaded; without a version in the request, the newest stable release. */
    public Binaries resolve(BinaryRequest request) {
        String version = request.kubernetesVersion().orElseGet(this::newestStable);
        return cached(Optional.of(version)).orElseGet(() -> download(version, request.progress()));
    }

    private String newestStable() {
        URI address = locations.stableVersion();
        return downloader
                .text(address)
                .map(text -> text.strip().replaceFirst("^v", ""))
                .filter(version -> version.matches("\\d+\\.\\d+\\.\\d+"))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.DOWNLOAD_FAILED,
                        address.toString(),
                        "names no version",
                        "such as v1.36.2",
                        "use --kubernetes-version"));
    }

    private Binaries download(String version, Progress progress) {
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        Runnable waiting = () -> progress.say("another ouro is downloading a release: waiting for it to end");
        try (ExclusiveLock _ = ExclusiveLock.await(directory.resolve(".lock"), "download of a release", waiting)) {
            return cached(Optional.of(version)).orElseGet(() -> downloadLocked(version, progress));
        }
    }

    private Binaries downloadLocked(String version, Progress progress) {
        long available = disk.usableBytes(directory);
        if (available < NEEDED_BYTES) {
            throw ProblemException.of(
                    ErrorCode.DISK,
                    directory.toString(),
                    "%.1f GiB are free".formatted(available / (double) (1 << 30)),
                    "%.1f GiB to download Kubernetes".formatted(NEEDED_BYTES / (double) (1 << 30)),
                    "free some, or set XDG_CACHE_HOME to a directory on another disk");
        }
        Path work = directory.resolve(".work-" + version);
        Path entry = work.resolve("entry");
        Path bin = entry.resolve("bin");
        disk.createDirectories(bin, "rwxr-xr-x");
        for (Binary binary : Binary.of(Binary.Project.KUBERNETES)) {
            progress.say("downloading " + binary.fileName() + " " + version);
            URI address = locations.kubernetesFile(version, architecture.goName(), binary.fileName());
            downloader.file(address, bin.resolve(binary.fileName()), kubernetesChecksum(address, binary.fileName()));
        }
        String etcd = new EtcdTools().pairedWith(version);
        downloadEtcd(etcd, work, bin, progress);
        makeExecutable(bin);
        Map<Binary.Project, String> versions = new EnumMap<>(Binary.Project.class);
        versions.put(Binary.Project.KUBERNETES, version);
        versions.put(Binary.Project.ETCD, etcd);
        Binaries complete = cache.publish(entry, version, versions);
        disk.deleteTree(work);
        return complete;
    }

    private Checksum kubernetesChecksum(URI address, String name) {
        return downloader
                .text(URI.create(address + ".sha256"))
                .or(() -> downloader.text(URI.create(address + ".sha512")))
                .flatMap(text -> Checksum.parse(text, name))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.DOWNLOAD_FAILED,
                        address.toString(),
                        "there is no checksum beside it",
                        "a file with the suffix .sha256 or .sha512",
                        "check the version"));
    }

    private void downloadEtcd(String version, Path work, Path bin, Progress progress) {
        String name = "etcd-v" + version + "-linux-" + architecture.goName();
        String archiveName = name + ".tar.gz";
        progress.say("downloading etcd " + version);
        URI sums = locations.etcdFile(version, "SHA256SUMS");
        Checksum checksum = downloader
                .text(sums)
                .flatMap(text -> Checksum.parse(text, archiveName))
                .orElseThrow(
                        () -> ProblemException.of(
                                ErrorCode.DOWNLOAD_FAILED,
                                sums.toString(),
                                "has no line for " + archiveName,
                                "",
                                "choose another --kubernetes-version, or give the binaries as a directory with --binaries DIR"));
        Path archive = work.resolve(archiveName);
        downloader.file(locations.etcdFile(version, archiveName), archive, checksum);
        List<String> command = new ArrayList<>(List.of(
                "tar",
                "--extract",
                "--gzip",
                "--no-same-owner",
                "--file=" + archive,
                "--directory=" + bin,
                "--strip-components=1",
                name + "/etcd",
                name + "/etcdctl"));
        if (hasRestoringTool(version)) {
            command.add(name + "/etcdutl");
        }
        processes.run(Command.of(command)).orThrow();
    }

    private static boolean hasRestoringTool(String version) {
        return KubernetesVersion.parse(version)
                .filter(etcd -> new EtcdTools().restoring(etcd).contains(Binary.ETCDUTL.fileName()))
                .isPresent();
    }

    private void makeExecutable(Path bin) {
        for (String name : disk.list(bin)) {
            processes
                    .run(Command.of("chmod", "0755", bin.resolve(name).toString()))
                    .orThrow();
        }
    }
}
