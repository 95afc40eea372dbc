package dev.ouroboros.cli;

import dev.ouroboros.cli.ErrorPlaces.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.tools.ExecFileLoader;

/** What the tests have executed, as JaCoCo's agent recorded it. */
final class Executed {
    private final Map<String, IMethodCoverage> methods = new HashMap<>();
    private final ExecFileLoader record = new ExecFileLoader();

    Executed(Path file) throws IOException {
        record.load(file.toFile());
    }

    void add(byte[] classFile) throws IOException {
        CoverageBuilder coverage = new CoverageBuilder();
        new Analyzer(record.getExecutionDataStore(), coverage).analyzeClass(classFile, "a class");
        coverage.getClasses()
                .forEach(type -> type.getMethods()
                        .forEach(method ->
                                methods.put(type.getName() + "." + method.getName() + method.getDesc(), method)));
    }

    /** All of the line: one side of a condition is not the other. */
    boolean is(Place place) {
        IMethodCoverage method = methods.get(place.method().owner() + "."
                + place.method().name() + place.method().type());
        return method != null
                && method.getLine(place.line()).getStatus() != ICounter.EMPTY
                && method.getLine(place.line()).getInstructionCounter().getMissedCount() == 0;
    }
}
