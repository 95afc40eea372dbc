package dev.ouroboros.cli.change;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A certification authority that can be exchanged. */
enum RotatedAuthority {
    FRONT_PROXY("front-proxy");

    private final String word;

    RotatedAuthority(String word) {
        this.word = word;
    }

    private static List<String> words() {
        return Arrays.stream(values()).map(authority -> authority.word).toList();
    }

    /** As people write it, also for the completion of shells. */
    static final class Converter implements ITypeConverter<RotatedAuthority>, Iterable<String> {
        @Override
        public RotatedAuthority convert(String value) {
            return Arrays.stream(values())
                    .filter(authority -> authority.word.equals(value))
                    .findFirst()
                    .orElseThrow(() ->
                            new TypeConversionException("'" + value + "' is none of " + String.join(", ", words())));
        }

        @Override
        public Iterator<String> iterator() {
            return words().iterator();
        }
    }
}
