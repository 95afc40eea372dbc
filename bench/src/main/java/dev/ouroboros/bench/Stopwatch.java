package dev.ouroboros.bench;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs commands through {@link Measured}. */
record Stopwatch(Processes processes, Disk disk, Path directory) {
    /** How a command ended and what it took. */
    record Lap(Result result, double seconds, double peakMebibytes) {}

    Lap run(Command command) {
        Path file = directory.resolve("lap");
        disk.delete(file);
        List<String> prefix = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Measured.class.getName(),
                file.toString()));
        Result measured = processes.run(command.behind(prefix));
        Result result = new Result(command.describe(), measured.exitCode(), measured.output(), measured.error());
        String[] figures = disk.readText(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.PROCESS_FAILED,
                        command.describe(),
                        "was not measured: " + result.error(),
                        "",
                        "run the command by hand to see what it says"))
                .split(" ", 2);
        return new Lap(result, Double.parseDouble(figures[0]), Double.parseDouble(figures[1]));
    }
}
