package dev.ouroboros.model.kubelet;

import static dev.ouroboros.model.kubelet.GuardedNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The two scripts as they are on a node, with programs of this machine in the place of kubelets: one that runs, one that ends, one that hangs. What is well is
 * said by servers of this test.
 */
final class KubeletGuardTest {
    @TempDir
    private Path directory = Path.of(".");

    private GuardedNode node;

    @BeforeEach
    void aNode() throws IOException {
        node = new GuardedNode(directory);
    }

    @AfterEach
    void atRest() throws IOException {
        node.close();
    }

    @Test
    void whatRunsWellStays() throws Exception {
        node.service();
        node.generation("other", node.server(200), "exec sleep 1001");
        node.tryOut("other", 20);

        node.ends(node.guard());

        assertThat(node.text("current")).isEqualTo("other");
        assertThat(node.first("started")).isEqualTo("other");
        assertThat(node.text("outcomes/other")).isEqualTo("confirmed");
    }

    @Test
    void whatEndsAgainAndAgainIsTakenBack() throws Exception {
        node.service();
        node.generation("ends", node.server(200), "exit 1");
        node.tryOut("ends", 20);

        node.ends(node.guard());

        assertThat(node.text("current")).isEqualTo("base");
        assertThat(node.text("outcomes/ends")).isEqualTo("failed its kubelet ended 3 times");
        await(() -> node.first("started").equals("base"));
    }

    @Test
    void whatIsNeverWellIsTakenBackInTime() throws Exception {
        node.service();
        node.generation("ill", node.server(500), "exec sleep 1001");
        node.tryOut("ill", 3);

        node.ends(node.guard());

        assertThat(node.text("outcomes/ill")).isEqualTo("failed its kubelet was not well for 2 s within 3 s");
        await(() -> node.first("started").equals("base"));
    }

    /** The kubelet that runs is not even ended. */
    @ParameterizedTest
    @CsvSource({"18, Exec format error", "-1, Permission denied"})
    void aProgramThatThisMachineCannotExecuteIsNotTried(int changed, String why) throws Exception {
        node.service();
        node.generation("foreign", node.server(200), "exec sleep 1001");
        byte[] program = Files.readAllBytes(Path.of(GuardedNode.SLEEP));
        Path file = directory.resolve("foreign");
        if (changed >= 0) {
            // e_machine of elf(5).
            program[changed] ^= 0x55;
        }
        Files.write(file, program);
        assertThat(file.toFile().setExecutable(changed >= 0)).isTrue();
        Files.writeString(directory.resolve("generations/foreign/program"), file + "\n");
        String before = node.text("started");
        node.tryOut("foreign", 20);

        node.ends(node.guard());

        assertThat(node.text("outcomes/foreign"))
                .startsWith("failed its program cannot be executed: ")
                .contains(why);
        assertThat(node.text("started")).isEqualTo(before);
    }

    @Test
    void anotherProgramUnderItsNameIsTakenBack() throws Exception {
        node.service();
        node.generation("false", node.server(200), "exec tail -f /dev/null");
        node.tryOut("false", 20);

        node.ends(node.guard());

        assertThat(node.text("outcomes/false")).startsWith("failed process ").endsWith("is another program");
    }

    @Test
    void whatIsCondemnedIsTakenBackWithTheReason() throws Exception {
        node.service();
        node.generation("doomed", node.server(200), "exec sleep 1001");
        node.tryOut("doomed", 20);
        Process guard = node.guard();
        await(() -> node.first("started").equals("doomed"));
        Files.writeString(directory.resolve("condemned.part"), "doomed its Node is not Ready\n");
        Files.move(directory.resolve("condemned.part"), directory.resolve(KubeletLayout.CONDEMNED));

        node.ends(guard);

        assertThat(node.text("outcomes/doomed")).isEqualTo("failed its Node is not Ready");
        assertThat(directory.resolve(KubeletLayout.CONDEMNED)).doesNotExist();
    }

    @Test
    void aWishThatIsTakenBackInTheMiddleLeadsBack() throws Exception {
        node.service();
        node.generation("ill", node.server(500), "exec sleep 1001");
        node.tryOut("ill", 1000);
        Process guard = node.guard();
        await(() -> node.first("started").equals("ill"));

        node.tryOut("base", 20);
        node.ends(guard);

        assertThat(node.text("current")).isEqualTo("base");
        assertThat(node.first("started")).isEqualTo("base");
        assertThat(node.text("outcomes/base")).isEqualTo("confirmed");
        assertThat(directory.resolve("outcomes/ill")).doesNotExist();
    }

    @Test
    void aGuardThatWasKilledGoesOn() throws Exception {
        node.service();
        node.generation("other", node.server(200), "exec sleep 1001");
        node.tryOut("other", 20);
        Process first = node.guard();
        await(() -> node.first("started").equals("other"));
        first.descendants().forEach(ProcessHandle::destroyForcibly);
        first.destroyForcibly().waitFor();

        node.ends(node.guard());

        assertThat(node.text("current")).isEqualTo("other");
        assertThat(node.text("outcomes/other")).isEqualTo("confirmed");
    }

    @Test
    void aMachineThatBootsAgainAndAgainGetsTheFormerOneBack() throws Exception {
        node.service();
        node.generation("other", node.server(200), "exec sleep 1001");
        node.tryOut("other", 20);
        Files.writeString(directory.resolve("trying"), "other base boot-of-before 2\n");

        node.ends(node.guard());

        assertThat(node.text("outcomes/other")).isEqualTo("failed the machine booted 3 times while it was tried");
        assertThat(node.text("current")).isEqualTo("base");
    }

    @Test
    void aGuardThatEndedWhileItWentBackGoesOn() throws Exception {
        node.service();
        node.generation("other", node.server(200), "exec sleep 1001");
        Files.writeString(directory.resolve("current"), "other\n");
        node.run(directory.resolve("restart.sh").toString()).waitFor();
        await(() -> node.first("started").equals("other"));
        node.tryOut("other", 20);
        String boot =
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        Files.writeString(directory.resolve("trying"), "other base " + boot + " 0\n");
        Files.createDirectories(directory.resolve(KubeletLayout.OUTCOMES));
        Files.writeString(directory.resolve("outcomes/other"), "failed for a reason\n");

        node.ends(node.guard());

        assertThat(node.text("current")).isEqualTo("base");
        assertThat(node.text("outcomes/other")).isEqualTo("failed for a reason");
        await(() -> node.first("started").equals("base"));
    }

    @Test
    void aGenerationThatIsNotThereIsNotTried() throws Exception {
        node.service();
        node.tryOut("nowhere", 20);

        node.ends(node.guard());

        assertThat(node.first("started")).isEqualTo("base");
        assertThat(node.text("log")).contains("there is no generation 'nowhere'");
    }

    /** Nobody knows yet whether what runs stays, and what was before it is not forgotten. */
    @Test
    void whatIsNotThereTakesNoWayBackFromWhatIsTried() throws Exception {
        node.service();
        node.generation("ill", node.server(500), "exec sleep 1001");
        node.tryOut("ill", 1000);
        Process guard = node.guard();
        await(() -> node.first("started").equals("ill"));

        node.tryOut("nowhere", 20);
        await(() -> !guard.isAlive());

        assertThat(node.text("trying")).startsWith("ill base ");
        node.generation("ends", node.server(200), "exit 1");
        node.tryOut("ends", 20);
        node.ends(node.guard());
        assertThat(node.text("current")).isEqualTo("base");
    }

    @Test
    void whatWasMadeOnAnotherBaseDoesNotStart() throws Exception {
        node.generation("other", node.server(200), "exec sleep 1001");
        Files.writeString(directory.resolve("current"), "other\n");
        Files.writeString(directory.resolve("generations/base/generation.json"), "{\"version\":\"v1.21.0\"}\n");

        node.service();

        assertThat(node.first("started")).isEqualTo("base");
    }

    /** What was before is of a base that is there no more: the way back is the base that there is. */
    @Test
    void theWayBackFromATrialOnAnotherBaseIsTheBase() throws Exception {
        node.generation("former", node.server(200), "exec sleep 1001");
        Files.writeString(directory.resolve("generations/former/base.json"), "{\"of\":\"before\"}\n");
        Files.writeString(directory.resolve("current"), "former\n");
        node.service();
        node.generation("ends", node.server(200), "exit 1");
        node.tryOut("ends", 20);

        node.ends(node.guard());

        assertThat(node.text("outcomes/ends")).isEqualTo("failed its kubelet ended 3 times");
        assertThat(node.text("current")).isEqualTo("base");
        await(() -> node.first("started").equals("base"));
    }

    @Test
    void aStateFileThatCannotBePutAwayStaysWhoseItIs() throws Exception {
        Path state = directory.resolve("cpu_manager_state");
        Files.writeString(state, "of base");
        node.service();
        Files.writeString(directory.resolve("ouroboros-kubelet-state"), "in the way");
        node.generation("static", node.server(500), "exec sleep 1001");
        Files.writeString(directory.resolve("generations/static/state"), "v1.20 cpuManagerPolicy=\"static\"\n");
        node.tryOut("static", 3);

        node.ends(node.guard());
        await(() -> node.first("started").equals("base"));

        assertThat(state).hasContent("of base");
    }

    @Test
    void aServiceThatIsSlowToStartHasItsTime() throws Exception {
        node.generation("other", node.server(200), "exec sleep 1001");
        node.tryOut("other", 3);
        String boot =
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        Files.writeString(directory.resolve("current"), "other\n");
        Files.writeString(directory.resolve("trying"), "other base boot-of-before 0\n");
        Files.writeString(directory.resolve("started"), "other 1 7 boot-of-before\n");
        Process guard = node.guard();
        await(() -> node.text("trying").equals("other base " + boot + " 1"));
        assertThat(guard.waitFor(5, TimeUnit.SECONDS))
                .as("longer than the trial may take")
                .isFalse();

        node.run(directory.resolve("service.sh").toString());
        node.ends(guard);

        assertThat(node.text("outcomes/other")).isEqualTo("confirmed");
    }

    @Test
    void anAnswerThatIsMissingOnceBeginsNothingAnew() throws Exception {
        node.service();
        HttpServer busy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger asked = new AtomicInteger();
        busy.createContext("/healthz", exchange -> {
            exchange.sendResponseHeaders(asked.incrementAndGet() == 2 ? 500 : 200, -1);
            exchange.close();
        });
        busy.start();
        node.closing(busy);
        node.generation("busy", busy.getAddress().getPort(), "exec sleep 1001");
        node.tryOut("busy", 20);

        node.ends(node.guard());

        assertThat(node.text("outcomes/busy")).isEqualTo("confirmed");
        assertThat(asked.get()).isLessThan(6);
    }

    @Test
    void aKilledTrialOfBeforeIsNoWayBackForTheNext() throws Exception {
        node.service();
        node.generation("other", node.server(200), "exec sleep 1001");
        node.tryOut("other", 20);
        node.ends(node.guard());
        Files.writeString(directory.resolve("trying"), "other base boot 0\n");
        node.generation("ends", node.server(200), "exit 1");
        node.tryOut("ends", 20);

        node.ends(node.guard());

        assertThat(node.text("current")).isEqualTo("other");
        await(() -> node.first("started").equals("other"));
    }

    @Test
    void stateFilesOfAnotherPolicyWaitForWhoWroteThem() throws Exception {
        Path state = directory.resolve("cpu_manager_state");
        Files.writeString(state, "of base");
        node.service();
        node.generation("static", node.server(500), "exec sleep 1001");
        Files.writeString(directory.resolve("generations/static/state"), "v1.20 cpuManagerPolicy=\"static\"\n");
        node.tryOut("static", 3);
        Process guard = node.guard();
        await(() -> node.first("started").equals("static"));
        assertThat(state).doesNotExist();
        Files.writeString(state, "of static");

        node.ends(guard);
        await(() -> node.first("started").equals("base"));

        assertThat(state).hasContent("of base");
        try (Stream<Path> kept = Files.walk(directory.resolve("ouroboros-kubelet-state"))) {
            assertThat(kept.filter(Files::isRegularFile).toList())
                    .singleElement()
                    .satisfies(file -> assertThat(file).hasContent("of static"));
        }
    }
}
