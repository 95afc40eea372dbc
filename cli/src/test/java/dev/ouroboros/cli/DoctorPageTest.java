package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Ailment.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/doctor.md} is made of {@link Ailment}, and nothing else is ever found wrong. */
final class DoctorPageTest {
    private static final Path FILE = Path.of("../docs/doctor.md");

    @Test
    void saysOfEachFindingWhatTheCommandSays() throws IOException {
        GeneratedPage.requireUpToDate(FILE, page());
    }

    /** A finding that somebody makes in another way would not be on the page. */
    @Test
    void nobodyMakesAFindingThatIsNoAilment() throws IOException {
        Pattern made = Pattern.compile("new Finding\\(");
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            List<String> makers = files.filter(path -> path.toString().contains("/src/main/java/")
                            && path.toString().endsWith(".java"))
                    .filter(path -> read(path).contains("dev.ouroboros.model.ailment"))
                    .filter(path -> made.matcher(read(path)).find())
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList();
            // MachineDoctor reads what this very command said in a node.
            assertThat(makers).containsExactly("Ailment.java", "Finding.java", "MachineDoctor.java");
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # What `ouro doctor` finds

                `ouro doctor` looks at the machine it runs on, before it is a node or since. `ouro doctor --name SANDBOX` or `--kubeconfig FILE`
                looks at a whole cluster, and at its control-plane node where that can be seen from here. Nothing is changed: for some seconds
                there are two network namespaces, one of them at the end of a veth, and a file of 2 MB, which is removed.

                Exit code 0 when nothing is wrong, 3 when there is a warning or a problem, 2 when the cluster that was named has no kubeconfig that
                can be used. What could not be looked at is `unknown`, with the
                reason: no proof of anything, and no finding. `-o json|yaml` prints a list with `place`, `check`, `severity`, `evidence`,
                `consequence` and `remedy`.

                This page is made from the code. What a finding says here in general, it says there of the case at hand.
                """);
        for (Place place : Place.values()) {
            page.append(
                    switch (place) {
                        case MACHINE -> "\n## A machine\n\n";
                        case CLUSTER -> "\n## A cluster\n\n";
                    });
            page.append("| check | severity | evidence | consequence | remedy |\n|--|--|--|--|--|\n");
            Arrays.stream(Ailment.values())
                    .filter(ailment -> ailment.place() == place)
                    .forEach(ailment -> page.append("| `%s` | %s | %s | %s | %s |%n"
                            .formatted(
                                    ailment.check(),
                                    ailment.severity().name().toLowerCase(Locale.ROOT),
                                    ailment.sign(),
                                    ailment.consequence(),
                                    ailment.remedy())));
        }
        return page.append("""

                ## What it cannot see

                - While the front leads to the principal, a rule that hides the front port from translation has no effect that could be seen: such
                  rules are found by their text (`firewall`). Where no understudy runs, a firewall that refuses its port in the way of a closed port
                  looks like an open one.
                - A node's clock that is behind by less than the duration of its Lease (40 s) looks like one that is right.
                - etcd's quota is read from its pod; of an etcd elsewhere it is unknown. For its alarms and its members etcd itself is asked: with `--name` where a sandbox
                  has it, else where `--etcd-servers` and our keys say.
                - Of other machines than this one, and a sandbox's nodes, only what their kubelets tell the API.
                """).toString();
    }
}
