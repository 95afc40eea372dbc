package dev.ouroboros.images.oci;

import static java.util.Objects.requireNonNullElse;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Makes an image archive of a recipe with Jib. Nothing in it depends on the time, the machine or the order of a directory. */
final class JibArchiver {
    private static final String CANNOT = "cannot be built";
    private static final FilePermissions EXECUTABLE = FilePermissions.fromOctalString("755");
    private static final FilePermissions READABLE = FilePermissions.fromOctalString("644");

    /** Jib's own default: the epoch and a second, as some tools take the epoch for "unknown". */
    static final Instant TIME = Instant.EPOCH.plusSeconds(1);

    private final Disk disk;
    private final Architecture architecture;

    JibArchiver(Disk disk, Architecture architecture) {
        this.disk = disk;
        this.architecture = architecture;
    }

    /**
     * Writes the archive below {@code work}, which also takes what Jib needs meanwhile.
     *
     * @param key becomes part of the image's second name
     */
    Path archive(ImageRecipe recipe, String key, Path work) {
        Path archive = work.resolve("image.tar");
        String reference = recipe.component().reference(recipe.tag());
        // Closed, they have ended: threads of Jib's own would write on below the directory after an interrupted build.
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Containerizer target = Containerizer.to(TarImage.at(archive).named(reference))
                    .withAdditionalTag(recipe.tag() + "-" + key)
                    .setOfflineMode(true)
                    .setToolName("ouroboros")
                    .setExecutorService(threads)
                    .setBaseImageLayersCache(work.resolve("base"))
                    .setApplicationLayersCache(work.resolve("layers"));
            JibContainerBuilder image = Jib.fromScratch()
                    .setPlatforms(Set.of(new Platform(architecture.goName(), "linux")))
                    .setCreationTime(TIME);
            recipe.layers().forEach(layer -> image.addFileEntriesLayer(entries(layer, work.resolve("texts"))));
            image.setEntrypoint(recipe.entrypoint()).setEnvironment(environment(recipe));
            containerize(image, target, threads);
            return archive;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(ErrorCode.TIMEOUT, reference, e, "interrupted", "run the same command again");
        } catch (InvalidImageReferenceException e) {
            throw failed(
                    ErrorCode.UNSUPPORTED_VERSION,
                    reference,
                    e,
                    "its version cannot be the tag of an image",
                    "use binaries of a release, or build them with a KUBE_GIT_VERSION without '+'");
        } catch (ExecutionException | CacheDirectoryCreationException | IOException | RegistryException e) {
            throw refused(reference, requireNonNullElse(e.getCause(), e));
        }
    }

    private static void containerize(JibContainerBuilder image, Containerizer target, ExecutorService threads)
            throws InterruptedException, RegistryException, IOException, CacheDirectoryCreationException,
                    ExecutionException {
        try {
            image.containerize(target);
        } catch (InterruptedException e) {
            threads.shutdownNow();
            throw e;
        }
    }

    private static Map<String, String> environment(ImageRecipe recipe) {
        Map<String, String> environment = new TreeMap<>(recipe.environment());
        environment.put("PATH", ImageRecipe.PATH);
        return environment;
    }

    private FileEntriesLayer entries(ImageLayer layer, Path texts) {
        FileEntriesLayer.Builder entries = FileEntriesLayer.builder().setName(layer.name());
        layer.programs().forEach((path, file) -> entries.addEntry(file, AbsoluteUnixPath.get(path), EXECUTABLE, TIME));
        layer.data().forEach((path, file) -> entries.addEntry(file, AbsoluteUnixPath.get(path), READABLE, TIME));
        disk.createDirectories(texts, Disk.OWNER_ONLY_DIRECTORY);
        layer.texts().forEach((path, text) -> {
            Path file = texts.resolve(path.substring(1).replace('/', '-'));
            disk.write(file, text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
            entries.addEntry(file, AbsoluteUnixPath.get(path), READABLE, TIME);
        });
        return entries.build();
    }

    private static ProblemException failed(ErrorCode code, String reference, Exception cause, String why, String next) {
        return new ProblemException(new Problem(code, where(reference), CANNOT + ": " + why, "", next), cause);
    }

    private static ProblemException refused(String reference, Throwable cause) {
        IOException refusal = cause instanceof IOException said ? said : new IOException(cause.toString(), cause);
        return FileTrouble.of(where(reference), CANNOT, refusal);
    }

    private static String where(String reference) {
        return "image " + reference;
    }
}
