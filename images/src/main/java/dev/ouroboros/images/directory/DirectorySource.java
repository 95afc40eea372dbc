package dev.ouroboros.images.directory;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.VersionReader;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.images.debian.UnpackedPackages.Closure;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Binaries that are in a directory already. etcd and kubectl, when missing, are taken from Debian's packages with a warning;
 * what is optional may be missing; everything else that is missing is reported together.
 */
public final class DirectorySource {
    private static final Set<Binary> FROM_DEBIAN = EnumSet.of(Binary.ETCD, Binary.ETCDCTL, Binary.KUBECTL);

    private final VersionReader versions;
    private final UnpackedPackages debian;

    public DirectorySource(VersionReader versions, UnpackedPackages debian) {
        this.versions = versions;
        this.debian = debian;
    }

    public Binaries resolve(Path directory, BinaryRequest request) {
        Map<Binary, Path> files = filesIn(directory);
        Map<Binary, String> found = versions(directory, files, request);
        List<String> warnings = new ArrayList<>();
        String kubernetes = versionOf(found, Binary.KUBE_APISERVER);
        warnAboutSkew(found, kubernetes, warnings);
        if (!files.containsKey(Binary.ETCD)) {
            Path root =
                    debian.resolve("etcd", List.of("etcd-client", "etcd-server"), Closure.ALONE, request.progress());
            files.put(Binary.ETCD, root.resolve("usr/bin/etcd"));
            files.putIfAbsent(Binary.ETCDCTL, root.resolve("usr/bin/etcdctl"));
            found.put(Binary.ETCD, versions.read(Binary.ETCD, files.get(Binary.ETCD)));
            warnings.add("no etcd in " + directory + ": taking Debian's " + versionOf(found, Binary.ETCD));
        }
        if (!files.containsKey(Binary.KUBECTL)) {
            Path root = debian.resolve("kubectl", List.of("kubernetes-client"), Closure.ALONE, request.progress());
            files.put(Binary.KUBECTL, root.resolve("usr/bin/kubectl"));
            found.put(Binary.KUBECTL, versions.read(Binary.KUBECTL, files.get(Binary.KUBECTL)));
            warnings.add("no kubectl in " + directory + ": taking Debian's " + versionOf(found, Binary.KUBECTL));
        }
        if (!files.containsKey(Binary.KUBE_PROXY)) {
            warnings.add("no kube-proxy in " + directory + ": the cluster will have none");
        }
        return new Binaries(directory.toString(), kubernetes, versionOf(found, Binary.ETCD), files, warnings);
    }

    /** Nothing when something would be taken from Debian's packages. */
    public Optional<Binaries> present(Path directory, BinaryRequest request) {
        return filesIn(directory).keySet().containsAll(FROM_DEBIAN)
                ? Optional.of(resolve(directory, request))
                : Optional.empty();
    }

    private static Map<Binary, Path> filesIn(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    directory.toString(),
                    "is not a directory",
                    "a directory of binaries, or the word release or debian",
                    "give --binaries the path of a directory with kube-apiserver, kubelet and so on in it");
        }
        Map<Binary, Path> files = new EnumMap<>(Binary.class);
        List<String> missing = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Binary binary : Binary.values()) {
            Path file = directory.resolve(binary.fileName());
            if (Files.isExecutable(file) && Files.isRegularFile(file)) {
                files.put(binary, file);
            } else if (Files.exists(file)) {
                problems.add(new Problem(
                        ErrorCode.NOT_FOUND, file.toString(), "is not an executable file", "", "chmod +x it"));
            } else if (binary.required() && !FROM_DEBIAN.contains(binary)) {
                missing.add(binary.fileName());
            }
        }
        if (!missing.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.NOT_FOUND,
                    directory.toString(),
                    "has no " + String.join(", no ", missing),
                    "",
                    "put them there, or name another source of binaries"));
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return files;
    }

    /** Runs every binary; each that is of another version than the one asked for is a problem of its own. */
    private Map<Binary, String> versions(Path directory, Map<Binary, Path> files, BinaryRequest request) {
        Map<Binary, String> found = new EnumMap<>(Binary.class);
        List<Problem> problems = new ArrayList<>();
        files.forEach((binary, file) -> {
            try {
                if (binary.project() != Binary.Project.PAUSE) {
                    String version = versions.read(binary, file);
                    found.put(binary, version);
                    if (binary.project() == Binary.Project.KUBERNETES) {
                        request.requireVersion(
                                version, directory.resolve(binary.fileName()).toString());
                    }
                }
            } catch (ProblemException e) {
                problems.addAll(e.problems());
            }
        });
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return found;
    }

    private static void warnAboutSkew(Map<Binary, String> found, String kubernetes, List<String> warnings) {
        found.forEach((binary, version) -> {
            if (binary.project() == Binary.Project.KUBERNETES && !version.equals(kubernetes)) {
                warnings.add(binary.fileName() + " is " + version + ", kube-apiserver is " + kubernetes);
            }
        });
    }

    private static String versionOf(Map<Binary, String> found, Binary binary) {
        return Optional.ofNullable(found.get(binary))
                .orElseThrow(() -> new IllegalStateException("version of " + binary.fileName() + " was not read"));
    }
}
