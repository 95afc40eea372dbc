package dev.ouroboros.images.oci;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
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
 * A daemon of ours as its build left it: the jar whose manifest names a main class and the other jars it runs with. The list is Maven's,
 * of what the daemon's module has at run time; nothing of it may be heavy.
 *
 * @param mainClass of the daemon
 * @param ours jars that change with every build, the daemon's first
 * @param dependencies the other jars
 */
public record JavaProgram(String mainClass, List<Path> ours, List<Path> dependencies) {
    private static final String OUR_PACKAGES = "dev/ouroboros/";
    private static final Pattern SIGNED = Pattern.compile("bc(pkix|prov|util)-.*\\.jar");
    private static final String UNSIGNED = "-bouncycastle.jar";

    public JavaProgram {
        ours = List.copyOf(ours);
        dependencies = List.copyOf(dependencies);
    }

    /**
     * Finds a daemon on a class path of files, as the command line's.
     *
     * @param module of the daemon
     * @return empty when the class path has directories of classes in place of jars, as an IDE's
     */
    public static Optional<JavaProgram> find(String module, List<Path> classPath) {
        Pattern name = Pattern.compile(Pattern.quote(module) + "-\\d.*\\.jar");
        return classPath.stream()
                .filter(entry ->
                        name.matcher(String.valueOf(entry.getFileName())).matches())
                .filter(jar -> attributes(jar).containsKey(Attributes.Name.MAIN_CLASS))
                .findFirst()
                .map(jar -> of(jar, classPath));
    }

    /** Reads the daemon's jar; the others lie beside it. */
    public static JavaProgram of(Path daemonJar) {
        return of(daemonJar, List.of());
    }

    /** The others are those of the class path, where it has them: a build's has each in the directory of its module. */
    private static JavaProgram of(Path daemonJar, List<Path> classPath) {
        List<Path> ours = new ArrayList<>(List.of(daemonJar));
        List<Path> dependencies = new ArrayList<>();
        Attributes attributes = attributes(daemonJar);
        for (String name : words(attributes.getValue(Attributes.Name.CLASS_PATH))) {
            Path jar = classPath.stream()
                    .filter(entry -> entry.endsWith(name))
                    .findFirst()
                    .or(() -> unsigned(name, classPath))
                    .orElseGet(() -> daemonJar.resolveSibling(name));
            List<Path> jars = isOurs(jar) ? ours : dependencies;
            if (!jars.contains(jar)) {
                jars.add(jar);
            }
        }
        String mainClass = Optional.ofNullable(attributes.getValue(Attributes.Name.MAIN_CLASS))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INTERNAL,
                        daemonJar.toString(),
                        "names no main class in its manifest",
                        "",
                        "build ouro again"));
        return new JavaProgram(mainClass, ours, dependencies);
    }

    /** The command line has Bouncy Castle's jars as one without their signatures. */
    private static Optional<Path> unsigned(String name, List<Path> classPath) {
        return SIGNED.matcher(name).matches()
                ? classPath.stream()
                        .filter(entry -> String.valueOf(entry.getFileName()).endsWith(UNSIGNED))
                        .findFirst()
                : Optional.empty();
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
                    ErrorCode.NOT_FOUND, jar.toString(), "is missing, and the image needs it", "", "build ouro again");
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
