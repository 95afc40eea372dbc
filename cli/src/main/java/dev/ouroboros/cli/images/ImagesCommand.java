package dev.ouroboros.cli.images;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.oci.ContainerImage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro images}: container images of the control plane, from binaries, without a registry. */
@Command(
        name = "images",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Builds, lists and loads the control plane's container images.",
        subcommands = {
            ImagesCommand.ListImages.class,
            ImagesCommand.Build.class,
            ImagesLoadCommand.class,
            ImagesBundleCommand.class
        },
        footerHeading = "%nExample:%n",
        footer = {"  ouro images build --binaries ./kubernetes", "  ouro images load my-app.tar"})
public final class ImagesCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    static List<ContainerImage> build(ImagesModule images, BinaryRequest request, Progress progress) {
        Binaries binaries = images.binaries().resolve(request);
        progress.say("Kubernetes " + binaries.kubernetesVersion() + " and etcd " + binaries.etcdVersion() + " from "
                + binaries.origin());
        binaries.warnings().forEach(warning -> progress.say("warning: " + warning));
        return images.builder().build(binaries, progress);
    }

    private static void print(CommandSpec spec, OutputOptions output, List<ContainerImage> images) {
        output.print(spec, json(images), () -> table(images));
    }

    private static String table(List<ContainerImage> images) {
        TextTable table = new TextTable("IMAGE", "CONTENT", "SIZE", "FROM");
        for (ContainerImage image : images) {
            table.row(image.reference(), image.key(), "%.1f MB".formatted(image.bytes() / 1e6), image.origin());
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

        @Mixin
        private final OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            print(spec, output, ThisMachine.images().cache().list());
            return ExitCode.DONE;
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
                "  ouro images build --binaries debian"
            })
    static final class Build implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private final BinaryOptions options = new BinaryOptions();

        @Mixin
        private final OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            Progress progress = new SpokenLines(spec)::say;
            BinaryRequest request = options.request(Optional.empty(), progress);
            print(spec, output, build(ThisMachine.images(), request, progress));
            return ExitCode.DONE;
        }
    }
}
