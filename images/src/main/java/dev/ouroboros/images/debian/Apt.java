package dev.ouroboros.images.debian;

import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * apt with package sources, lists and caches of its own in a private directory. It reads the machine's configuration and
 * changes nothing of it: everything is downloaded and unpacked, nothing installed. Works without root.
 */
final class Apt {
    private static final Duration NETWORK_TIMEOUT = Duration.ofMinutes(20);
    private static final Pattern SHELL_VALUE = Pattern.compile("^(\\w+)='(.*)'$");

    private final Processes processes;
    private final Disk disk;
    private final Path directory;

    /** apt in {@code directory}, which is ours alone and made when missing. */
    Apt(Processes processes, Disk disk, Path directory) {
        this.processes = processes;
        this.disk = disk;
        this.directory = directory;
    }

    /** Copies the machine's package sources and downloads their lists. Must come before everything else. */
    void update(Progress progress) {
        for (String part : List.of("lists/partial", "cache/archives/partial", "sources.d")) {
            disk.createDirectories(directory.resolve(part), "rwxr-xr-x");
        }
        copySources();
        progress.say("downloading Debian's package lists (the system's own are not touched)");
        Result result = processes.run(apt("apt-get", "-q", "update"));
        if (!result.succeeded()) {
            // One archive of several may be out of reach, or have no source packages; what is asked for next decides.
            progress.say("not every package list could be had: " + firstError(result));
        }
    }

    /** The file name suffixes are those that apt itself reads in its directory of sources. */
    private void copySources() {
        String sources = processes
                .run(Command.of(
                        "apt-config", "shell", "FILE", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"))
                .orThrow();
        List<Path> files = new ArrayList<>();
        shellValue(sources, "FILE").map(Path::of).ifPresent(files::add);
        shellValue(sources, "PARTS")
                .map(Path::of)
                .ifPresent(parts -> disk.list(parts).forEach(name -> files.add(parts.resolve(name))));
        for (Path file : files) {
            String name = file.getFileName().toString();
            if (name.endsWith(".list")) {
                disk.readText(file).map(AptSources::convertList).ifPresent(text -> writeSource(name, text));
            } else if (name.endsWith(".sources")) {
                disk.readText(file).map(AptSources::convertStanzas).ifPresent(text -> writeSource(name, text));
            }
        }
        if (disk.list(directory.resolve("sources.d")).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.MISSING_TOOL,
                    "apt's package sources",
                    "none in " + files,
                    "at least one Debian archive",
                    "add Debian's archive to /etc/apt/sources.list.d");
        }
    }

    private void writeSource(String name, String text) {
        if (!text.isEmpty()) {
            disk.write(
                    directory.resolve("sources.d").resolve(name), text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
        }
    }

    private static Optional<String> shellValue(String text, String name) {
        return text.lines()
                .map(SHELL_VALUE::matcher)
                .filter(Matcher::matches)
                .filter(line -> line.group(1).equals(name))
                .map(line -> line.group(2))
                .findFirst();
    }

    /** The version of a source package that {@link #downloadSource} would fetch; empty when no archive has it. */
    Optional<SourceVersion> sourceVersion(String name) {
        Pattern description = Pattern.compile("^'[^']+' " + Pattern.quote(name) + "_(\\S+)\\.dsc .*");
        Result result = processes.run(apt("apt-get", "source", "--download-only", "--print-uris", name)
                .withDirectory(directory));
        return result.output()
                .lines()
                .map(description::matcher)
                .filter(Matcher::matches)
                .map(line -> SourceVersion.parse(line.group(1)))
                .findFirst();
    }

    /** Fetches a source package, verified by apt, without unpacking it, and returns its description (.dsc). */
    Path downloadSource(String name, SourceVersion version, Path into) {
        processes
                .run(apt("apt-get", "-q", "source", "--download-only", name + "=" + version.packageVersion())
                        .withDirectory(into))
                .orThrow();
        return disk.list(into).stream()
                .filter(file -> file.endsWith(".dsc"))
                .map(into::resolve)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("apt-get source left no .dsc in " + into));
    }

    /** Whether an archive offers this package, or it is installed. */
    boolean offers(String name) {
        String policy = processes.run(apt("apt-cache", "policy", name)).orThrow();
        return policy.lines().map(String::strip).anyMatch(line -> line.matches("Candidate: (?!\\(none\\)).+"));
    }

    /** Packages and all that they depend on, sorted, without recommendations. */
    List<String> withDependencies(List<String> packages) {
        List<String> arguments = new ArrayList<>(List.of("apt-cache", "depends", "--recurse"));
        for (String relation : List.of("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")) {
            arguments.add("--no-" + relation);
        }
        arguments.addAll(packages);
        String graph = processes.run(apt(arguments.toArray(String[]::new))).orThrow();
        return graph.lines()
                .filter(line -> line.matches("[a-z0-9].*"))
                .distinct()
                .sorted()
                .toList();
    }

    /** Fetches packages, verified by apt, and unpacks their files without running any of their scripts. */
    void unpack(List<String> packages, Path into) {
        Path archives = directory.resolve("debs");
        disk.deleteTree(archives);
        disk.createDirectories(archives, "rwxr-xr-x");
        disk.createDirectories(into, "rwxr-xr-x");
        String[] download = Stream.concat(Stream.of("apt-get", "-q", "download"), packages.stream())
                .toArray(String[]::new);
        processes.run(apt(download).withDirectory(archives)).orThrow();
        for (String archive : disk.list(archives)) {
            processes
                    .run(Command.of(
                            "dpkg-deb", "--extract", archives.resolve(archive).toString(), into.toString()))
                    .orThrow();
        }
        disk.deleteTree(archives);
    }

    private Command apt(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        // Files below a home directory of root cannot be reached by apt's own unprivileged user.
        for (String option : List.of(
                "APT::Sandbox::User=root",
                "Dir::Etc::sourcelist=/dev/null",
                "Dir::Etc::sourceparts=" + directory.resolve("sources.d"),
                "Dir::State::lists=" + directory.resolve("lists"),
                "Dir::Cache=" + directory.resolve("cache"),
                "Acquire::Retries=3")) {
            all.add(1, option);
            all.add(1, "-o");
        }
        return Command.of(all).withEnvironment("LC_ALL", "C.UTF-8").withTimeout(NETWORK_TIMEOUT);
    }

    private static String firstError(Result result) {
        return Stream.concat(result.error().lines(), result.output().lines())
                .filter(line -> line.startsWith("E:") || line.startsWith("Err:"))
                .findFirst()
                .orElse("exit code " + result.exitCode());
    }
}
