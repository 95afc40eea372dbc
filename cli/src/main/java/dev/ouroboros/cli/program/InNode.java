package dev.ouroboros.cli.program;

import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * How to run this very program again, inside a node: the same java, flags and classes, each where a node has the host's files.
 */
public final class InNode {
    private static final Path OUR_COMMAND_LINE = Path.of("/proc/self/cmdline");

    private InNode() {}

    /**
     * The command line up to the main class; arguments follow.
     *
     * @param command of the program that is to run
     */
    public static List<String> commandLine(CommandSpec command) {
        return commandLine(
                WholeProgram.of(command).getClass().getName(),
                Path.of(System.getProperty("java.home")),
                ownArguments());
    }

    /** The words of {@code own} up to the main class, with java and the class path as a node finds them. */
    static List<String> commandLine(String mainClass, Path javaHome, List<String> own) {
        int main = own.indexOf(mainClass);
        if (main < 0) {
            throw new IllegalStateException("started in another way than './ouro': " + own);
        }
        List<String> command = new ArrayList<>();
        command.add(inNode(javaHome.resolve("bin/java").toString()));
        for (int index = 1; index <= main; index++) {
            boolean isClassPath =
                    own.get(index - 1).equals("-cp") || own.get(index - 1).equals("-classpath");
            command.add(isClassPath ? classPathInNode(own.get(index)) : flagInNode(own.get(index)));
        }
        return List.copyOf(command);
    }

    private static String classPathInNode(String classPath) {
        return Stream.of(classPath.split(":", -1)).map(InNode::inNode).collect(Collectors.joining(":"));
    }

    /** As in {@code -XX:AOTCache=/opt/ouro/ouro.aot}. */
    private static String flagInNode(String flag) {
        // Messages are read where this command was called, so that they name the program as it was called there.
        if (flag.startsWith("-D" + CommandName.PROPERTY + "=")) {
            return flag;
        }
        int value = flag.indexOf('=') + 1;
        return value > 0 && flag.startsWith("/", value)
                ? flag.substring(0, value) + inNode(flag.substring(value))
                : flag;
    }

    private static String inNode(String file) {
        return NodeLayout.ofHostFile(Path.of(file)).toString();
    }

    /** What java was started with; the process handle's view is cut off at a page. */
    private static List<String> ownArguments() {
        try {
            String all = Files.readString(OUR_COMMAND_LINE, StandardCharsets.UTF_8);
            return List.of(all.split("\0", -1));
        } catch (IOException e) {
            throw FileTrouble.of(OUR_COMMAND_LINE, "cannot be read", e);
        }
    }
}
