package dev.ouroboros.model.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
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
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final String SLEEP = "/usr/bin/sleep";

    @TempDir
    private Path directory;

    private final List<Process> processes = new ArrayList<>();
    private final List<HttpServer> servers = new ArrayList<>();

    @BeforeEach
    void aNode() throws IOException {
        for (Map.Entry<String, String> script : KubeletScripts.all().entrySet()) {
            Files.writeString(directory.resolve(script.getKey()), script.getValue());
        }
        // As the service does: ends what runs, and starts anew whatever ended, until it is told to rest.
        Files.writeString(directory.resolve("service.sh"), """
                cd %s
                while [ ! -e rest ]; do
                    /bin/bash start.sh &
                    echo $! >pid
                    wait $!
                    sleep 0.1
                done
                """.formatted(directory));
        Files.writeString(directory.resolve("restart.sh"), "kill $(cat " + directory.resolve("pid") + ")\n");
        generation("base", server(200), "exec sleep 1000");
    }

    @AfterEach
    void atRest() throws IOException, InterruptedException {
        Files.writeString(directory.resolve("rest"), "");
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        servers.forEach(server -> server.stop(0));
    }

    private int server(int status) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/healthz", exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    private void generation(String name, int port, String run) throws IOException {
        Path files = Files.createDirectories(
                directory.resolve(KubeletLayout.GENERATIONS).resolve(name));
        Files.writeString(files.resolve("run.sh"), run + "\n");
        Files.writeString(files.resolve(name.equals("base") ? "generation.json" : "base.json"), "{}\n");
        Files.writeString(files.resolve("program"), Path.of(SLEEP).toRealPath() + "\n");
        Files.writeString(files.resolve("healthz"), "127.0.0.1 " + port + "\n");
        Files.writeString(files.resolve("state"), "v1.20\n");
        Files.writeString(files.resolve("state-files"), directory.resolve("cpu_manager_state") + "\n");
    }

    private Process run(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("/bin/bash"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()));
        builder.environment().put("GUARD_STEADY", "2");
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private void service() throws IOException {
        run(directory.resolve("service.sh").toString());
        await(() -> first("started").equals("base"));
    }

    private Process guard() throws IOException {
        return run(
                directory.resolve(KubeletLayout.GUARD).toString(),
                "/bin/bash",
                directory.resolve("restart.sh").toString());
    }

    private void tryOut(String name, int seconds) throws IOException {
        Files.writeString(directory.resolve(KubeletLayout.TRIAL), name + " " + seconds + "\n");
    }

    private String first(String file) {
        return text(file).split(" ", 2)[0];
    }

    private String text(String file) {
        try {
            return Files.readString(directory.resolve(file)).strip();
        } catch (IOException e) {
            // It is not there, or is being exchanged.
            return "";
        }
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private void ends(Process guard) throws InterruptedException {
        assertThat(guard.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as(text("log"))
                .isTrue();
        assertThat(directory.resolve(KubeletLayout.TRIAL)).doesNotExist();
        assertThat(directory.resolve("trying")).doesNotExist();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(Path::toString)).noneMatch(file -> file.endsWith(".new"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatRunsWellStays() throws Exception {
        service();
        generation("other", server(200), "exec sleep 1001");
        tryOut("other", 20);

        ends(guard());

        assertThat(text("current")).isEqualTo("other");
        assertThat(first("started")).isEqualTo("other");
        assertThat(text("outcomes/other")).isEqualTo("confirmed");
    }

    @Test
    void whatEndsAgainAndAgainIsTakenBack() throws Exception {
        service();
        generation("ends", server(200), "exit 1");
        tryOut("ends", 20);

        ends(guard());

        assertThat(text("current")).isEqualTo("base");
        assertThat(text("outcomes/ends")).isEqualTo("failed its kubelet ended 3 times");
        await(() -> first("started").equals("base"));
    }

    @Test
    void whatIsNeverWellIsTakenBackInTime() throws Exception {
        service();
        generation("ill", server(500), "exec sleep 1001");
        tryOut("ill", 3);

        ends(guard());

        assertThat(text("outcomes/ill")).isEqualTo("failed its kubelet was not well for 2 s within 3 s");
        await(() -> first("started").equals("base"));
    }

    /** The kubelet that runs is not even ended. */
    @ParameterizedTest
    @CsvSource({"18, Exec format error", "-1, Permission denied"})
    void aProgramThatThisMachineCannotExecuteIsNotTried(int changed, String why) throws Exception {
        service();
        generation("foreign", server(200), "exec sleep 1001");
        byte[] program = Files.readAllBytes(Path.of(SLEEP));
        Path file = directory.resolve("foreign");
        if (changed >= 0) {
            // e_machine of elf(5).
            program[changed] ^= 0x55;
        }
        Files.write(file, program);
        assertThat(file.toFile().setExecutable(changed >= 0)).isTrue();
        Files.writeString(directory.resolve("generations/foreign/program"), file + "\n");
        String before = text("started");
        tryOut("foreign", 20);

        ends(guard());

        assertThat(text("outcomes/foreign"))
                .startsWith("failed its program cannot be executed: ")
                .contains(why);
        assertThat(text("started")).isEqualTo(before);
    }

    @Test
    void anotherProgramUnderItsNameIsTakenBack() throws Exception {
        service();
        generation("false", server(200), "exec tail -f /dev/null");
        tryOut("false", 20);

        ends(guard());

        assertThat(text("outcomes/false")).startsWith("failed process ").endsWith("is another program");
    }

    @Test
    void whatIsCondemnedIsTakenBackWithTheReason() throws Exception {
        service();
        generation("doomed", server(200), "exec sleep 1001");
        tryOut("doomed", 20);
        Process guard = guard();
        await(() -> first("started").equals("doomed"));
        Files.writeString(directory.resolve("condemned.part"), "doomed its Node is not Ready\n");
        Files.move(directory.resolve("condemned.part"), directory.resolve(KubeletLayout.CONDEMNED));

        ends(guard);

        assertThat(text("outcomes/doomed")).isEqualTo("failed its Node is not Ready");
        assertThat(directory.resolve(KubeletLayout.CONDEMNED)).doesNotExist();
    }

    @Test
    void aWishThatIsTakenBackInTheMiddleLeadsBack() throws Exception {
        service();
        generation("ill", server(500), "exec sleep 1001");
        tryOut("ill", 1000);
        Process guard = guard();
        await(() -> first("started").equals("ill"));

        tryOut("base", 20);
        ends(guard);

        assertThat(text("current")).isEqualTo("base");
        assertThat(first("started")).isEqualTo("base");
        assertThat(text("outcomes/base")).isEqualTo("confirmed");
        assertThat(directory.resolve("outcomes/ill")).doesNotExist();
    }

    @Test
    void aGuardThatWasKilledGoesOn() throws Exception {
        service();
        generation("other", server(200), "exec sleep 1001");
        tryOut("other", 20);
        Process first = guard();
        await(() -> first("started").equals("other"));
        first.descendants().forEach(ProcessHandle::destroyForcibly);
        first.destroyForcibly().waitFor();

        ends(guard());

        assertThat(text("current")).isEqualTo("other");
        assertThat(text("outcomes/other")).isEqualTo("confirmed");
    }

    @Test
    void aMachineThatBootsAgainAndAgainGetsTheFormerOneBack() throws Exception {
        service();
        generation("other", server(200), "exec sleep 1001");
        tryOut("other", 20);
        Files.writeString(directory.resolve("trying"), "other base boot-of-before 2\n");

        ends(guard());

        assertThat(text("outcomes/other")).isEqualTo("failed the machine booted 3 times while it was tried");
        assertThat(text("current")).isEqualTo("base");
    }

    @Test
    void aGuardThatEndedWhileItWentBackGoesOn() throws Exception {
        service();
        generation("other", server(200), "exec sleep 1001");
        Files.writeString(directory.resolve("current"), "other\n");
        run(directory.resolve("restart.sh").toString()).waitFor();
        await(() -> first("started").equals("other"));
        tryOut("other", 20);
        String boot =
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        Files.writeString(directory.resolve("trying"), "other base " + boot + " 0\n");
        Files.createDirectories(directory.resolve(KubeletLayout.OUTCOMES));
        Files.writeString(directory.resolve("outcomes/other"), "failed for a reason\n");

        ends(guard());

        assertThat(text("current")).isEqualTo("base");
        assertThat(text("outcomes/other")).isEqualTo("failed for a reason");
        await(() -> first("started").equals("base"));
    }

    @Test
    void aGenerationThatIsNotThereIsNotTried() throws Exception {
        service();
        tryOut("nowhere", 20);

        ends(guard());

        assertThat(first("started")).isEqualTo("base");
        assertThat(text("log")).contains("there is no generation 'nowhere'");
    }

    @Test
    void whatWasMadeOnAnotherBaseDoesNotStart() throws Exception {
        generation("other", server(200), "exec sleep 1001");
        Files.writeString(directory.resolve("current"), "other\n");
        Files.writeString(directory.resolve("generations/base/generation.json"), "{\"version\":\"v1.21.0\"}\n");

        service();

        assertThat(first("started")).isEqualTo("base");
    }

    /** What was before is of a base that is there no more: the way back is the base that there is. */
    @Test
    void theWayBackFromATrialOnAnotherBaseIsTheBase() throws Exception {
        generation("former", server(200), "exec sleep 1001");
        Files.writeString(directory.resolve("generations/former/base.json"), "{\"of\":\"before\"}\n");
        Files.writeString(directory.resolve("current"), "former\n");
        service();
        generation("ends", server(200), "exit 1");
        tryOut("ends", 20);

        ends(guard());

        assertThat(text("outcomes/ends")).isEqualTo("failed its kubelet ended 3 times");
        assertThat(text("current")).isEqualTo("base");
        await(() -> first("started").equals("base"));
    }

    @Test
    void aStateFileThatCannotBePutAwayStaysWhoseItIs() throws Exception {
        Path state = directory.resolve("cpu_manager_state");
        Files.writeString(state, "of base");
        service();
        Files.writeString(directory.resolve("ouroboros-kubelet-state"), "in the way");
        generation("static", server(500), "exec sleep 1001");
        Files.writeString(directory.resolve("generations/static/state"), "v1.20 cpuManagerPolicy=\"static\"\n");
        tryOut("static", 3);

        ends(guard());
        await(() -> first("started").equals("base"));

        assertThat(state).hasContent("of base");
    }

    @Test
    void aServiceThatIsSlowToStartHasItsTime() throws Exception {
        generation("other", server(200), "exec sleep 1001");
        tryOut("other", 3);
        String boot =
                Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        Files.writeString(directory.resolve("current"), "other\n");
        Files.writeString(directory.resolve("trying"), "other base boot-of-before 0\n");
        Files.writeString(directory.resolve("started"), "other 1 7 boot-of-before\n");
        Process guard = guard();
        await(() -> text("trying").equals("other base " + boot + " 1"));
        assertThat(guard.waitFor(5, TimeUnit.SECONDS))
                .as("longer than the trial may take")
                .isFalse();

        run(directory.resolve("service.sh").toString());
        ends(guard);

        assertThat(text("outcomes/other")).isEqualTo("confirmed");
    }

    @Test
    void anAnswerThatIsMissingOnceBeginsNothingAnew() throws Exception {
        service();
        HttpServer busy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger asked = new AtomicInteger();
        busy.createContext("/healthz", exchange -> {
            exchange.sendResponseHeaders(asked.incrementAndGet() == 2 ? 500 : 200, -1);
            exchange.close();
        });
        busy.start();
        servers.add(busy);
        generation("busy", busy.getAddress().getPort(), "exec sleep 1001");
        tryOut("busy", 20);

        ends(guard());

        assertThat(text("outcomes/busy")).isEqualTo("confirmed");
        assertThat(asked.get()).isLessThan(6);
    }

    @Test
    void aKilledTrialOfBeforeIsNoWayBackForTheNext() throws Exception {
        service();
        generation("other", server(200), "exec sleep 1001");
        tryOut("other", 20);
        ends(guard());
        Files.writeString(directory.resolve("trying"), "other base boot 0\n");
        generation("ends", server(200), "exit 1");
        tryOut("ends", 20);

        ends(guard());

        assertThat(text("current")).isEqualTo("other");
        await(() -> first("started").equals("other"));
    }

    @Test
    void stateFilesOfAnotherPolicyWaitForWhoWroteThem() throws Exception {
        Path state = directory.resolve("cpu_manager_state");
        Files.writeString(state, "of base");
        service();
        generation("static", server(500), "exec sleep 1001");
        Files.writeString(directory.resolve("generations/static/state"), "v1.20 cpuManagerPolicy=\"static\"\n");
        tryOut("static", 3);
        Process guard = guard();
        await(() -> first("started").equals("static"));
        assertThat(state).doesNotExist();
        Files.writeString(state, "of static");

        ends(guard);
        await(() -> first("started").equals("base"));

        assertThat(state).hasContent("of base");
        try (Stream<Path> kept = Files.walk(directory.resolve("ouroboros-kubelet-state"))) {
            assertThat(kept.filter(Files::isRegularFile).toList())
                    .singleElement()
                    .satisfies(file -> assertThat(file).hasContent("of static"));
        }
    }
}
