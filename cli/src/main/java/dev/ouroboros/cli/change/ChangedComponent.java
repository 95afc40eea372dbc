package dev.ouroboros.cli.change;

import dev.ouroboros.model.component.Component;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A component whose change can be taken back. */
final class ChangedComponent implements ITypeConverter<Component>, Iterable<String> {
    private static final List<Component> ALL =
            List.of(Component.API_SERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER);

    @Override
    public Component convert(String value) {
        return ALL.stream()
                .filter(component -> component.id().equals(value))
                .findFirst()
                .orElseThrow(
                        () -> new TypeConversionException("'" + value + "' is none of " + String.join(", ", names())));
    }

    private static List<String> names() {
        return ALL.stream().map(Component::id).toList();
    }

    /** For the completion of shells. */
    @Override
    public Iterator<String> iterator() {
        return names().iterator();
    }
}
