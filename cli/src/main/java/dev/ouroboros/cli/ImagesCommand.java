package dev.ouroboros.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageLoader;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro images}: container images of the control plane, from binaries, without a registry. */
@Command(
        name = "images",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Builds, lists and loads the control plane's container images.",
        subcommands = {ImagesCommand.ListImages.class, ImagesCommand.Build.class, ImagesCommand.Load.class},
        footerHeading = "%nExample:%n",
        footer = {
            "  ouro images build --binaries ./kubernetes",
            "  ouro images load --binaries ./kubernetes --address /run/containerd/containerd.sock"
        })
final class ImagesCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    enum Output {
        TEXT,
        JSON
    }

    private static ImagesModule images(Processes processes) {
        return ImagesModule.create(
                processes,
                new LocalDisk(),
                InstantSource.system(),
                CacheDirectory.of(System.getenv(), Path.of(System.getProperty("user.home"))),
                Architecture.of(System.getProperty("os.arch")));
    }

    private static List<ContainerImage> build(ImagesModule images, BinaryOptions options, Progress progress) {
        Binaries binaries = images.binaries().resolve(options.request(System.getenv(), progress));
        progress.say("Kubernetes " + binaries.kubernetesVersion() + " and etcd " + binaries.etcdVersion() + " from "
                + binaries.origin());
        binaries.warnings().forEach(warning -> progress.say("warning: " + warning));
        return images.builder().build(binaries, progress);
    }

    private static Progress toError(CommandSpec spec) {
        PrintWriter err = spec.commandLine().getErr();
        return line -> {
            err.println(line);
            err.flush();
        };
    }

    private static void print(List<ContainerImage> images, Output output, PrintWriter out) {
        out.print(
                switch (output) {
                    case TEXT -> table(images);
                    case JSON -> json(images).toPrettyString() + "\n";
                });
        out.flush();
    }

    private static String table(List<ContainerImage> images) {
        StringBuilder table = new StringBuilder("%-58s %-13s %9s  %s%n".formatted("IMAGE", "CONTENT", "SIZE", "FROM"));
        for (ContainerImage image : images) {
            table.append("%-58s %-13s %7.1fMB  %s%n"
                    .formatted(image.reference(), image.key(), image.bytes() / 1e6, image.origin()));
        }
        return table.toString();
    }

    private static ArrayNode json(List<ContainerImage> images) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (ContainerImage image : images) {
            ObjectNode node = array.addObject();
            node.put("image", image.reference());
            node.put("name", image.component().imageName());
            node.put("version", image.tag());
            node.put("content", image.key());
            node.put("bytes", image.bytes());
            node.put("source", image.origin());
            node.put("archive", image.archive().toString());
        }
        return array;
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the images in the cache.",
            footerHeading = "%nExample:%n",
            footer = "  ouro images list -o json")
    static final class ListImages implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FORMAT",
                defaultValue = "TEXT",
                description = "text or json; default: text")
        private Output output = Output.TEXT;

        @Override
        public Integer call() {
            print(
                    images(new LocalProcesses()).cache().list(),
                    output,
                    spec.commandLine().getOut());
            return Ouro.EXIT_DONE;
        }
    }

    @Command(
            name = "build",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Gets the binaries and builds an image of each component into the cache, unless it is there.",
            footerHeading = "%nExample:%n",
            footer = {
                "  ouro images build --binaries ./kubernetes --kubernetes-version 1.36.2",
                "  ouro images build --source debian"
            })
    static final class Build implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private final BinaryOptions options = new BinaryOptions();

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FORMAT",
                defaultValue = "TEXT",
                description = "text or json; default: text")
        private Output output = Output.TEXT;

        @Override
        public Integer call() {
            ImagesModule images = images(new LocalProcesses());
            print(
                    build(images, options, toError(spec)),
                    output,
                    spec.commandLine().getOut());
            return Ouro.EXIT_DONE;
        }
    }

    @Command(
            name = "load",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Loads the images into a containerd, building what is not in the cache.",
            footerHeading = "%nExample:%n",
            footer = "  ouro images load --source debian --address /run/containerd/containerd.sock")
    static final class Load implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private final BinaryOptions options = new BinaryOptions();

        @Option(
                names = "--address",
                paramLabel = "SOCKET",
                defaultValue = "/run/containerd/containerd.sock",
                description = "of containerd; default: ${DEFAULT-VALUE}")
        private Path address = Path.of("/");

        @Override
        public Integer call() {
            Processes processes = new LocalProcesses();
            Progress progress = toError(spec);
            List<ContainerImage> images = build(images(processes), options, progress);
            List<ContainerImage> loaded = new ImageLoader(processes, List.of(), address).load(images, progress);
            progress.say(loaded.size() + " of " + images.size() + " images loaded, the others were there");
            return Ouro.EXIT_DONE;
        }
    }
}
