package dev.ouroboros.cli;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds every place in compiled code at which an empty text may become the remedy of a problem, its last argument.
 *
 * <ol>
 *   <li>Wherever a maker is called, the values that may be on top of the stack are followed back: through both sides of a condition,
 *       variables, {@code Optional.orElse}, and what methods of ours return.
 *   <li>A method, or a lambda, that passes its own last parameter on is a maker too, and so are its callers looked at. One that passes on
 *       another parameter is reported, because nobody would look at what it gets.
 *   <li>A value that comes from an object's field is not followed: {@code Problem} itself refuses an empty one.
 * </ol>
 */
final class RemedyScan {
    private record Method(String owner, String name, String type) {}

    private record Body(Method method, MethodModel model, List<CodeElement> code) {
        int lineAt(int index) {
            for (int at = index; at >= 0; at--) {
                if (code.get(at) instanceof LineNumber line) {
                    return line.line();
                }
            }
            return 0;
        }
    }

    private static final String FIVE = "(Ldev/ouroboros/model/problem/ErrorCode;Ljava/lang/String;Ljava/lang/String;"
            + "Ljava/lang/String;Ljava/lang/String;)";

    private final Map<Method, Body> bodies = new HashMap<>();
    private final Deque<Method> makers = new ArrayDeque<>(List.of(
            new Method("dev/ouroboros/model/problem/Problem", "<init>", FIVE + "V"),
            new Method(
                    "dev/ouroboros/model/problem/ProblemException",
                    "of",
                    FIVE + "Ldev/ouroboros/model/problem/ProblemException;")));
    private final Set<Method> known = new HashSet<>(makers);
    private final Set<String> findings = new TreeSet<>();
    private int places;

    void add(byte[] classFile) {
        ClassModel type = ClassFile.of().parse(classFile);
        for (MethodModel model : type.methods()) {
            Method method = new Method(
                    type.thisClass().asInternalName(),
                    model.methodName().stringValue(),
                    model.methodType().stringValue());
            model.code()
                    .map(CodeModel::elementList)
                    .ifPresent(code -> bodies.put(method, new Body(method, model, code)));
        }
    }

    /** Places without a remedy, as {@code Class.method:line}. */
    Set<String> findings() {
        while (!makers.isEmpty()) {
            Method maker = makers.removeFirst();
            bodies.values().forEach(body -> lookAtCalls(body, maker));
        }
        return findings;
    }

    /** How many calls were looked at; a scan that looked at none proves nothing. */
    int places() {
        return places;
    }

    private void lookAtCalls(Body body, Method maker) {
        for (int index = 0; index < body.code().size(); index++) {
            if (calls(body.code().get(index), maker)) {
                places++;
                follow(body, index, index, new HashSet<>());
            }
        }
    }

    /** A lambda takes what it captures from where it is made; a captured text that is passed on comes last. */
    private static boolean calls(CodeElement element, Method maker) {
        return switch (element) {
            case InvokeInstruction call -> methodOf(call).equals(maker);
            case InvokeDynamicInstruction made ->
                made.bootstrapArgs().stream()
                        .anyMatch(argument -> argument instanceof DirectMethodHandleDesc lambda
                                && lambda.methodName().equals(maker.name())
                                && lambda.owner().descriptorString().equals("L" + maker.owner() + ";"));
            default -> false;
        };
    }

    private static Method methodOf(InvokeInstruction call) {
        return new Method(
                call.owner().asInternalName(),
                call.name().stringValue(),
                call.type().stringValue());
    }

    /** What may be on top of the stack right before {@code index}. */
    private void follow(Body body, int index, int place, Set<Object> seen) {
        for (int at = index - 1; at >= 0; at--) {
            CodeElement element = body.code().get(at);
            if (element instanceof LabelTarget target) {
                branchesTo(body, target, place, seen);
            } else if (element instanceof ThrowInstruction
                    || element instanceof ReturnInstruction
                    || (element instanceof BranchInstruction branch && branch.opcode() == Opcode.GOTO)) {
                return;
            } else if (element instanceof Instruction && !(element instanceof TypeCheckInstruction)) {
                judge(body, at, element, place, seen);
                return;
            }
        }
    }

    private void branchesTo(Body body, LabelTarget target, int place, Set<Object> seen) {
        for (int at = 0; at < body.code().size(); at++) {
            if (body.code().get(at) instanceof BranchInstruction branch
                    && branch.opcode() == Opcode.GOTO
                    && branch.target().equals(target.label())
                    && seen.add(branch)) {
                follow(body, at, place, seen);
            }
        }
    }

    private void judge(Body body, int at, CodeElement element, int place, Set<Object> seen) {
        switch (element) {
            case ConstantInstruction constant
            when "".equals(constant.constantValue()) ->
                findings.add(
                        simpleName(body.method().owner()) + "." + body.method().name() + ":" + body.lineAt(place));
            case LoadInstruction load
            when load.typeKind() == TypeKind.REFERENCE -> variable(body, load.slot(), place, seen);
            case InvokeInstruction call
            when call.name().stringValue().equals("orElse") -> follow(body, at, place, seen);
            case InvokeInstruction call
            when seen.add(methodOf(call)) ->
                Optional.ofNullable(bodies.get(methodOf(call))).ifPresent(method -> returned(method, seen));
            default -> {}
        }
    }

    private void returned(Body method, Set<Object> seen) {
        for (int at = 0; at < method.code().size(); at++) {
            if (method.code().get(at) instanceof ReturnInstruction) {
                follow(method, at, at, seen);
            }
        }
    }

    private void variable(Body body, int slot, int place, Set<Object> seen) {
        if (!seen.add(body.method() + " slot " + slot)) {
            return;
        }
        for (int at = 0; at < body.code().size(); at++) {
            if (body.code().get(at) instanceof StoreInstruction store && store.slot() == slot) {
                follow(body, at, place, seen);
            }
        }
        int last = lastParameter(body);
        if (slot == last && known.add(body.method())) {
            makers.add(body.method());
        } else if (slot < last && isText(body, slot)) {
            findings.add(simpleName(body.method().owner()) + "." + body.method().name()
                    + ": passes on a parameter that is not its last");
        }
    }

    private static int lastParameter(Body body) {
        return parameters(body).keySet().stream().max(Integer::compare).orElse(-1);
    }

    /** A variable may have the slot of a parameter that is not needed any more; one of another type is told by that. */
    private static boolean isText(Body body, int slot) {
        return ConstantDescs.CD_String.equals(parameters(body).get(slot));
    }

    /** The types of the parameters by their slots. */
    private static Map<Integer, ClassDesc> parameters(Body body) {
        Map<Integer, ClassDesc> parameters = new HashMap<>();
        int slot = body.model().flags().has(AccessFlag.STATIC) ? 0 : 1;
        for (ClassDesc type : body.model().methodTypeSymbol().parameterList()) {
            parameters.put(slot, type);
            slot += TypeKind.from(type).slotSize();
        }
        return parameters;
    }

    private static String simpleName(String owner) {
        return owner.substring(owner.lastIndexOf('/') + 1);
    }
}
