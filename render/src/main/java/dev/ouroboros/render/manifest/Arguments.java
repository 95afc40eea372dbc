package dev.ouroboros.render.manifest;

import dev.ouroboros.model.component.Component;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Arguments of a program, each flag once, sorted: later ones replace earlier ones. */
final class Arguments {
    private final SortedMap<String, String> flags = new TreeMap<>();

    Arguments set(String flag, Object value) {
        flags.put(flag, value.toString());
        return this;
    }

    Arguments setAll(Map<String, String> others) {
        flags.putAll(others);
        return this;
    }

    Arguments copy() {
        return new Arguments().setAll(flags);
    }

    /** Values by flag. */
    SortedMap<String, String> flags() {
        return new TreeMap<>(flags);
    }

    /** As in {@code --flag=value}. */
    List<String> toFlags() {
        return flags.entrySet().stream()
                .map(flag -> "--" + flag.getKey() + "=" + flag.getValue())
                .toList();
    }

    /** The command line of a component. */
    List<String> commandOf(Component component) {
        List<String> command = new ArrayList<>();
        command.add(component.id());
        command.addAll(toFlags());
        return List.copyOf(command);
    }
}
