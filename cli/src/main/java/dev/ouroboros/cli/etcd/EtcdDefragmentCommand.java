package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.etcd.membership.MemberDefragmenter;
import dev.ouroboros.etcd.membership.MemberDefragmenter.Defragmented;
import dev.ouroboros.node.clock.MonotonicClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro etcd defragment}. */
@Command(
        name = "defragment",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Gives back what of etcd's database files is not in use: they never become smaller by themselves. One member after the other, when all follow the leader; the leader last, after another one leads.",
            "Requests to a member that need its database wait meanwhile, longer the more is in use: of three members a third of those of every API server, of an only one all. It needs room for the new file beside the old one.",
            "Of an etcd that has raised NOSPACE all revisions but the latest are forgotten first, as API servers cannot do that any more, and the alarm is taken back at the end: etcd raises it again where its quota is still used up. Delete what fills it before."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a member could not, or time is up",
            "2:bad usage, or refused before anything was done"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro etcd defragment",
            "  ouro etcd defragment node-3 --etcd-servers https://10.0.0.1:2379 \\",
            "      --etcd-ca-path ca.crt --etcd-certificate-path client.crt --etcd-private-key-path client.key"
        })
final class EtcdDefragmentCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "MEMBER", arity = "0..*", description = "Names or IDs (default: every member that votes).")
    private List<String> members = List.of();

    @Mixin
    private final SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    private final EtcdOptions etcd = new EtcdOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description = "How long one member may take, and one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(5);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        List<Defragmented> done = new MemberDefragmenter(clock, new SpokenLines(spec, clock))
                .defragment(members, etcd.serversOr(sandbox), timeout);
        output.print(spec, data(done), () -> text(done));
        return ExitCode.DONE;
    }

    private static ObjectNode data(List<Defragmented> done) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode all = data.putArray("members");
        done.forEach(one -> {
            ObjectNode member = all.addObject()
                    .put("name", one.member().name())
                    .put("id", one.member().id())
                    .put("databaseBytesBefore", one.bytesBefore());
            one.bytesAfter().ifPresent(bytes -> member.put("databaseBytes", bytes));
            member.put("milliseconds", one.took().toMillis());
        });
        return data;
    }

    private static String text(List<Defragmented> done) {
        long given = done.stream()
                .mapToLong(one ->
                        one.bytesAfter().map(after -> one.bytesBefore() - after).orElse(0L))
                .sum();
        return EtcdView.mebibytes(given) + " given back by " + done.size() + (done.size() == 1 ? " member" : " members")
                + "\n";
    }
}
