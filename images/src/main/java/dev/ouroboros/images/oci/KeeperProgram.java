package dev.ouroboros.images.oci;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.FileTrouble;
import dev.ouroboros.core.problem.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;

/**
 * The keeper as its build left it: the jar whose manifest names a main class and the other jars it runs with. The list is Maven's,
 * of what the module {@code keeper} has at run time; its POM excludes what would be too heavy.
 *
 * @param mainClass of the daemon
 * @param ours jars that change with every build, that of the keeper first
 * @param dependencies the other jars
 */
public record KeeperProgram(String mainClass, List<Path> ours, List<Path> dependencies) {
    private static final Pattern NAME = Pattern.compile("keeper-.*\\.jar");
    private static final String OUR_PACKAGES = "dev/ouroboros/";

    public KeeperProgram {
        ours = List.copyOf(ours);
        dependencies = List.copyOf(dependencies);
    }

    /**
     * Finds the keeper on a class path of files, as the command line's.
     *
     * @return empty when the class path has directories of classes in place of jars, as an IDE's
     */
    public static Optional<KeeperProgram> find(List<Path> classPath) {
        return classPath.stream()
                .filter(entry ->
                        NAME.matcher(String.valueOf(entry.getFileName())).matches())
                .filter(jar -> attributes(jar).containsKey(Attributes.Name.MAIN_CLASS))
                .findFirst()
                .map(jar -> of(jar, classPath));
    }

    /** Reads the keeper's jar; the others lie beside it. */
    public static KeeperProgram of(Path keeperJar) {
        return of(keeperJar, List.of());
    }

    /** The others are those of the class path, where it has them: a build's has each in the directory of its module. */
    private static KeeperProgram of(Path keeperJar, List<Path> classPath) {
        List<Path> ours = new ArrayList<>(List.of(keeperJar));
        List<Path> dependencies = new ArrayList<>();
        Attributes attributes = attributes(keeperJar);
        for (String name : words(attributes.getValue(Attributes.Name.CLASS_PATH))) {
            Path jar = classPath.stream()
                    .filter(entry -> entry.endsWith(name))
                    .findFirst()
                    .orElseGet(() -> keeperJar.resolveSibling(name));
            (isOurs(jar) ? ours : dependencies).add(jar);
        }
        String mainClass = Optional.ofNullable(attributes.getValue(Attributes.Name.MAIN_CLASS))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INTERNAL,
                        keeperJar.toString(),
                        "names no main class in its manifest",
                        "",
                        "build ouro again"));
        return new KeeperProgram(mainClass, ours, dependencies);
    }

    private static Attributes attributes(Path jar) {
        try (JarFile file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            return manifest == null ? new Attributes() : manifest.getMainAttributes();
        } catch (IOException e) {
            throw unreadable(jar, e);
        }
    }

    private static boolean isOurs(Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND, jar.toString(), "is missing, and the keeper needs it", "", "build ouro again");
        }
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().anyMatch(entry -> entry.getName().startsWith(OUR_PACKAGES));
        } catch (IOException e) {
            throw unreadable(jar, e);
        }
    }

    private static List<String> words(@org.jspecify.annotations.Nullable String text) {
        return text == null
                ? List.of()
                : Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toList();
    }

    private static ProblemException unreadable(Path jar, IOException e) {
        return FileTrouble.of(jar, "cannot be read as a jar", e);
    }
}
