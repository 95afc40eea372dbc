package dev.ouroboros.cli;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds every place in compiled code that makes a problem.
 *
 * <ol>
 *   <li>Such a place is a call of a maker; the constructor of {@code Problem} and {@code ProblemException.of} are makers.
 *   <li>A method is a maker too, and its callers are looked at as well, when it calls one without a condition before, or when it calls one
 *       and what it returns is a problem: there the callers say what is wrong.
 * </ol>
 */
final class ErrorPlaces {
    /** A method or a lambda in it, as {@code keeper.run.Daemon.start}, and a line of its file. */
    record Place(Method method, int line) implements Comparable<Place> {
        String name() {
            return method.owner().replace("dev/ouroboros/", "").replace('/', '.') + "."
                    + method.name().replaceAll("^lambda\\$(.*)\\$\\d+$", "$1");
        }

        @Override
        public int compareTo(Place other) {
            int names = name().compareTo(other.name());
            return names == 0 ? Integer.compare(line, other.line) : names;
        }
    }

    record Method(String owner, String name, String type) {}

    private static final String FIVE = "(Ldev/ouroboros/model/problem/ErrorCode;Ljava/lang/String;Ljava/lang/String;"
            + "Ljava/lang/String;Ljava/lang/String;)";
    private static final Method PROBLEM = new Method("dev/ouroboros/model/problem/Problem", "<init>", FIVE + "V");
    private static final Method EXCEPTION = new Method(
            "dev/ouroboros/model/problem/ProblemException",
            "of",
            FIVE + "Ldev/ouroboros/model/problem/ProblemException;");

    private final Map<Method, List<CodeElement>> bodies = new LinkedHashMap<>();

    void add(byte[] classFile) {
        ClassModel type = ClassFile.of().parse(classFile);
        type.methods()
                .forEach(method -> method.code()
                        .map(CodeModel::elementList)
                        .ifPresent(code -> bodies.put(
                                new Method(
                                        type.thisClass().asInternalName(),
                                        method.methodName().stringValue(),
                                        method.methodType().stringValue()),
                                code)));
    }

    Set<Place> find() {
        Set<Place> places = new TreeSet<>();
        Deque<Method> makers = new ArrayDeque<>(List.of(PROBLEM, EXCEPTION));
        // What EXCEPTION calls is no place of its own.
        Set<Method> known = new HashSet<>(makers);
        while (!makers.isEmpty()) {
            Method maker = makers.removeFirst();
            bodies.forEach((method, code) -> {
                if (!method.equals(EXCEPTION) && look(method, code, maker, places) && known.add(method)) {
                    makers.add(method);
                }
            });
        }
        return places;
    }

    /** Whether the method is a maker by its calls of {@code maker}. */
    private static boolean look(Method method, List<CodeElement> code, Method maker, Set<Place> places) {
        boolean always = true;
        boolean makes = false;
        int line = 0;
        for (CodeElement element : code) {
            switch (element) {
                case LineNumber number -> line = number.line();
                case InvokeInstruction call
                when methodOf(call).equals(maker) -> {
                    places.add(new Place(method, line));
                    makes |= always || returnsAProblem(method);
                }
                case BranchInstruction _,
                        LookupSwitchInstruction _,
                        TableSwitchInstruction _,
                        ReturnInstruction _,
                        ThrowInstruction _ -> always = false;
                default -> {}
            }
        }
        return makes;
    }

    private static boolean returnsAProblem(Method method) {
        return method.type().endsWith(")Ldev/ouroboros/model/problem/Problem;")
                || method.type().endsWith(")Ldev/ouroboros/model/problem/ProblemException;");
    }

    private static Method methodOf(InvokeInstruction call) {
        return new Method(
                call.owner().asInternalName(),
                call.name().stringValue(),
                call.type().stringValue());
    }
}
