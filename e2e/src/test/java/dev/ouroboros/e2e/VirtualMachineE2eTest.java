package dev.ouroboros.e2e;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The way of {@code docs/real-hosts.md} on a stock Debian with a kernel, a systemd and a containerd of its own, on a machine that is slow:
 * prepared, started, changed, its power cut, given back. {@code ./test --vm SUITE} runs it.
 */
@Tag("e2e")
@Tag("vm")
final class VirtualMachineE2eTest {
    private static final Path PAGE = OuroProgram.CHECKOUT.resolve("docs/real-hosts.md");
    private static final Duration LONG = Duration.ofMinutes(60);
    private static final String CONFIGURED = "export KUBECONFIG=/root/real-host/assets/auth/kubeconfig; ";
    private static final String LAST_WORDS = """
            set +e +o pipefail
            uptime
            ps -eo pid,etimes,time,comm --sort=-time | sed -n 1,25p
            cat /root/client/log
            for log in /var/log/pods/*kube-apiserver*/*/*.log /var/log/pods/*keeper*/*/*.log; do
                echo "== $log"
                tail -n 60 "$log" | cut -c -300
            done
            """;

    /** A candidate may boot four times as long as its principal did, and eight minutes are not much for one here. */
    private static final String REST = CONFIGURED + "ouro status --wait=45m --request-timeout=60s";

    @TempDir
    private Path directory = Path.of("");

    private VirtualMachine machine = new VirtualMachine(directory);

    static Stream<String> suites() {
        return Arrays.stream(System.getProperty("ouroboros.vm", "bookworm").split(",", -1));
    }

    @AfterEach
    void takeItsPower() throws Exception {
        if (machine.hasPower()) {
            // What it takes an hour to come to again: whoever reads of a failure needs it.
            machine.shell(LAST_WORDS, Duration.ofMinutes(5));
        }
        machine.cutPower();
    }

    @ParameterizedTest
    @MethodSource("suites")
    void aMachineBecomesANodeIsChangedComesBackAfterAPowerCutAndIsGivenBack(String suite) throws Exception {
        machine = new VirtualMachine(Files.createDirectory(directory.resolve("machine")));
        machine.make(suite, brought());
        machine.boot();
        System.err.println(machine.require("uname -srm; stat -f -c %T /sys/fs/cgroup; mkdir -p /root/real-host"));
        HostTraces before = HostTraces.of(machine);
        DocumentedCommands page = DocumentedCommands.in(PAGE).with(asSaidHere());

        page.section("A control-plane node").requireDoWhatTheySay(script -> machine.shell(script, LONG));
        System.err.println(machine.require("containerd --version; nft --version; runc --version | sed -n 1p"));
        PatientClient client = new PatientClient(machine);
        machine.shell(REST, LONG).orThrow();

        client.begin();
        machine.shell(CONFIGURED + "kubectl -n kube-system set env daemonset/kube-apiserver TRIED=yes", LONG)
                .orThrow();
        machine.shell(REST, LONG).orThrow();
        client.requireNoFailure(client.end());

        anImageThatIsGoneIsBroughtBack();
        machine.cutPower();
        machine.boot();
        client.begin();
        page.section("After a power cut").requireDoWhatTheySay(script -> machine.shell(script, LONG));
        machine.shell(REST, LONG).orThrow();
        client.requireNoFailure(client.sinceFirstAnswer(client.end()));

        machine.forgetContainers();
        page.section("Back to nothing").requireDoWhatTheySay(script -> machine.shell(script, LONG));
        before.requireAllThereIs(machine);
    }

    /** What the machine has besides Debian: the archive without Java, and a bundle, because it has no network. */
    private Path brought() throws Exception {
        Path files = directory.resolve("files");
        Path packed = directory.resolve("packed");
        run(OuroProgram.CHECKOUT.resolve("scripts/dist").toString(), packed.toString());
        Path opt = Files.createDirectories(files.resolve("opt"));
        String unpack = "tar -xzf %s/*.tar.gz -C %s && mv %s/ouro-* %s/ouro".formatted(packed, opt, opt, opt);
        run("sh", "-c", unpack);
        Path programs = Files.createDirectories(files.resolve("usr/local/sbin"));
        Files.createSymbolicLink(programs.resolve("ouro"), Path.of("/opt/ouro/ouro"));
        String binaries = System.getProperty("ouroboros.binaries", "");
        List<String> bundle = List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "images",
                "bundle",
                opt.resolve("bundle.tar").toString());
        run(Stream.concat(bundle.stream(), binaries.isEmpty() ? Stream.of() : Stream.of("--binaries", binaries))
                .toArray(String[]::new));
        return files;
    }

    private static String run(String... command) {
        return new LocalProcesses()
                .run(Command.of(command).withTimeout(Duration.ofMinutes(20)))
                .orThrow();
    }

    private static UnaryOperator<String> asSaidHere() {
        String binaries = System.getProperty("ouroboros.binaries", "");
        String version = binaries.isEmpty()
                ? "v1.20.2"
                : run(binaries + "/kubelet", "--version").strip().replace("Kubernetes ", "");
        // Its bundle has what is built elsewhere, and it has no network.
        return text -> text.replaceAll("(?m)^ouro images build .*\\R", "")
                .replace("host prepare --asset-dir assets", "host prepare --asset-dir assets --bundle /opt/bundle.tar")
                .replace("v1.20.2", version);
    }

    /** The scheduler's, which the keeper lends an understudy when no pod of it can be started. A power cut follows: it must be whole on the disk. */
    private void anImageThatIsGoneIsBroughtBack() {
        machine.require("""
                images() { ctr -n k8s.io images ls; }
                digest=$(images | awk '/kube-scheduler/ { digest = $3 } END { print digest }')
                ctr -n k8s.io images rm --sync $(images | awk -v digest="$digest" '$3 == digest { print $1 }')
                test -z "$(images | grep kube-scheduler || true)"
                """ + CONFIGURED + """
                kubectl -n kube-system delete pod -l k8s-app=kube-scheduler --wait=false
                """);
        machine.shell("""
                until ctr -n k8s.io images ls -q | grep kube-scheduler; do sleep 1; done
                until pgrep -x kube-scheduler; do sleep 1; done
                """, LONG).orThrow();
    }
}
