package dev.ouroboros.cli.images;

import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.images.archive.ImageArchives;
import dev.ouroboros.images.archive.NamedImage;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ImageName;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.sandbox.SandboxRecord;
import dev.ouroboros.sandbox.up.SandboxImages;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro images load}: images of one's own, of the control plane, or of a bundle. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Loads images into every node of a sandbox or another containerd, without a registry.",
            "",
            "Named ones are images of your own: files of 'docker save' or of OCI, or what this machine's docker, podman or nerdctl"
                    + " has. Without any these are the control plane's, of binaries or of a bundle.",
            "What a sandbox has: ouro exec NODE -- ctr -n k8s.io images list -q"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro images load my-app.tar",
            "  docker save my-app:dev | ouro images load -",
            "  ouro images load my-app:dev --name test",
            "  ouro images load my-app.tar --address /run/containerd/containerd.sock",
            "  ouro images load --bundle bundle.tar --programs /usr/local/bin --address /run/containerd/containerd.sock",
            "  ouro images load --binaries debian --address /run/containerd/containerd.sock"
        })
final class ImagesLoadCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE|IMAGE",
            arity = "0..*",
            description =
                    "An image archive, plain or gzip; the name of an image of this machine's container engine; or - for an archive from"
                            + " standard input.")
    private List<String> sources = List.of();

    @Option(
            names = "--as",
            paramLabel = "NAME",
            description = "The image's name instead of those that its archive says.")
    private Optional<String> as = Optional.empty();

    @Mixin
    private final BinaryOptions options = new BinaryOptions();

    @Mixin
    private final SandboxOptions sandbox = new SandboxOptions();

    @Option(
            names = "--address",
            paramLabel = "SOCKET",
            description = "Of the containerd to load into, instead of the sandbox's.")
    private Optional<Path> address = Optional.empty();

    @Option(
            names = "--bundle",
            paramLabel = "FILE",
            description = "Load what 'ouro images bundle' packed, verified; nothing is built or fetched.")
    private Optional<Path> bundle = Optional.empty();

    @Option(
            names = "--programs",
            paramLabel = "DIR",
            description = "Where to put the bundle's programs: kubelet, kubectl, etcdctl, etcdutl.")
    private Optional<Path> programs = Optional.empty();

    @Override
    public Integer call() {
        requireFitting();
        Progress progress = new SpokenLines(spec)::say;
        SortedMap<String, ImageLoader> loaders = loaders();
        if (!sources.isEmpty()) {
            archives().read(sources, as, progress, images -> loadOwn(loaders, images, progress));
        } else if (bundle.isPresent()) {
            ThisMachine.bundles().read(bundle.get(), unpacked -> {
                programs.ifPresent(directory -> install(unpacked.programs(), directory, progress));
                load(loaders, unpacked.images(), progress);
                return true;
            });
        } else {
            Optional<String> version = address.isPresent()
                    ? Optional.empty()
                    : sandbox.existing().record().flatMap(SandboxRecord::kubernetesVersion);
            List<ContainerImage> built =
                    ImagesCommand.build(ThisMachine.images(), options.request(version, progress), progress);
            load(loaders, built, progress);
        }
        return ExitCode.DONE;
    }

    private void requireFitting() {
        if (address.isPresent() && sandbox.givenName().isPresent()) {
            throw refused(
                    "--address and --name", "both name a containerd", "leave --address out to take the sandbox's");
        }
        if (programs.isPresent() && bundle.isEmpty()) {
            throw refused("--programs", "is of a bundle", "add --bundle FILE, or leave --programs out");
        }
        if (!sources.isEmpty() && (bundle.isPresent() || options.given())) {
            throw refused(
                    sources.getFirst(),
                    "is an image of your own, and --bundle, --binaries and --kubernetes-version are about the control plane's",
                    "load one after the other, in two commands");
        }
        as.filter(name -> ImageName.complete(name).isEmpty()).ifPresent(name -> {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--as",
                    "is '" + name + "', which is no image reference",
                    "a name in lower case, as in busybox:1.36",
                    "correct it");
        });
        if (as.isPresent() && sources.size() != 1) {
            throw refused(
                    "--as",
                    "names one image of your own, and " + sources.size() + " are given",
                    "name its file: FILE --as NAME");
        }
    }

    private static ProblemException refused(String where, String what, String next) {
        return ProblemException.of(ErrorCode.BAD_USAGE, where, what, "one of them", next);
    }

    private static ImageArchives archives() {
        return new ImageArchives(
                ThisMachine.processes(),
                ThisMachine.disk(),
                ThisMachine.architecture(),
                ThisMachine.cache(),
                System.in);
    }

    /** By where they load to: one for each node of the sandbox. */
    private SortedMap<String, ImageLoader> loaders() {
        if (address.isPresent()) {
            ImageLoader own = new ImageLoader(ThisMachine.processes(), List.of(), address.get(), Optional.empty());
            return new TreeMap<>(Map.of("the containerd of " + address.get(), own));
        }
        SortedMap<String, ImageLoader> loaders = new TreeMap<>();
        SandboxImages.loaders(ThisMachine.processes(), sandbox.existing())
                .forEach((node, loader) -> loaders.put("node " + node, loader));
        return loaders;
    }

    private void loadOwn(SortedMap<String, ImageLoader> loaders, List<NamedImage> images, Progress progress) {
        loaders.forEach((place, loader) -> {
            for (NamedImage image : images) {
                boolean loaded = loader.load(image, progress);
                image.names().forEach(name -> progress.say(name + (loaded ? " is in " : " was already in ") + place));
            }
        });
        if (images.stream().flatMap(image -> image.names().stream()).anyMatch(name -> name.endsWith(":latest"))) {
            progress.say(
                    "Pods of a ':latest' ask a registry unless they say 'imagePullPolicy: IfNotPresent' or 'Never'.");
        }
    }

    private static void load(SortedMap<String, ImageLoader> loaders, List<ContainerImage> all, Progress progress) {
        loaders.forEach((place, loader) -> {
            List<ContainerImage> loaded = loader.load(all, progress);
            progress.say(
                    loaded.size() + " of " + all.size() + " images loaded into " + place + ", the others were there");
        });
    }

    private static void install(Map<String, Path> programs, Path directory, Progress progress) {
        Disk disk = ThisMachine.disk();
        disk.createDirectories(directory.toAbsolutePath(), "rwxr-xr-x");
        programs.forEach(
                (name, program) -> disk.copy(program, directory.toAbsolutePath().resolve(name), "rwxr-xr-x"));
        progress.say(String.join(", ", new TreeSet<>(programs.keySet())) + " are in " + directory);
    }
}
