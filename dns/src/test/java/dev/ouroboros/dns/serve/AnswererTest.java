package dev.ouroboros.dns.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import dev.ouroboros.dns.forward.Answers;
import dev.ouroboros.dns.forward.FakeResolver;
import dev.ouroboros.dns.forward.Forwarder;
import dev.ouroboros.dns.serve.Answerer.Transport;
import dev.ouroboros.dns.testing.ExampleCluster;
import dev.ouroboros.dns.zone.ClusterView;
import dev.ouroboros.dns.zone.ClusterZone;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.Cidr;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

final class AnswererTest {
    private static final List<String> LABELS = List.of(
            "kubernetes",
            "headless",
            "foo",
            "bar",
            "circle",
            "default",
            "svc",
            "pod",
            "cluster",
            "local",
            "_tcp",
            "_https",
            "10-2-0-1",
            "my-pet",
            "in-addr",
            "arpa",
            "ip6",
            "1",
            "0",
            "3",
            "10",
            "dns-version",
            "com",
            "*",
            "a\\\\.b",
            "x".repeat(63));

    private final ClusterView view = ExampleCluster.view();

    private static ClusterZone zone() {
        return new ClusterZone("cluster.local", List.of(Cidr.parse("10.2.0.0/16"), Cidr.parse("10.3.0.0/24")), 5);
    }

    private Answerer answerer(FakeResolver... resolvers) {
        return answerer(Optional.of(view), resolvers);
    }

    private static Answerer answerer(Optional<ClusterView> seen, FakeResolver... resolvers) {
        Forwarder forwarder =
                new Forwarder(Stream.of(resolvers).map(FakeResolver::address).toList(), InstantSource.system());
        return new Answerer(zone(), () -> seen, forwarder, new Counters());
    }

    private static Message query(String name, int type) throws TextParseException {
        return Message.newQuery(Record.newRecord(Name.fromString(name), type, DClass.IN));
    }

    private static Message ask(Answerer answerer, Message query) throws IOException {
        return new Message(answerer.answer(query.toWire(), Transport.UDP).orElseThrow());
    }

    private static List<String> data(Message answer) {
        return answer.getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }

    @Test
    void answersOfTheClusterAreAuthoritativeAndNumberedAsTheQuestion() throws Exception {
        Message query = query("kubernetes.default.svc.cluster.local.", Type.A);
        Message answer = ask(answerer(), query);

        assertThat(data(answer)).containsExactly("10.3.0.1");
        assertThat(answer.getHeader().getID()).isEqualTo(query.getHeader().getID());
        assertThat(answer.getHeader().getFlag(Flags.AA)).isTrue();
        assertThat(answer.getHeader().getFlag(Flags.QR)).isTrue();
        assertThat(answer.getHeader().getFlag(Flags.RA)).isTrue();
        assertThat(answer.getHeader().getFlag(Flags.RD)).isTrue();
    }

    @Test
    void whatIsMissingComesWithItsAuthority() throws Exception {
        Message missing = ask(answerer(), query("none.default.svc.cluster.local.", Type.A));
        assertThat(missing.getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(missing.getSection(Section.AUTHORITY))
                .singleElement()
                .extracting(Record::getType)
                .isEqualTo(Type.SOA);

        Message noData = ask(answerer(), query("kubernetes.default.svc.cluster.local.", Type.AAAA));
        assertThat(noData.getRcode()).isEqualTo(Rcode.NOERROR);
        assertThat(noData.getSection(Section.AUTHORITY)).hasSize(1);
    }

    @Test
    void whatIsNotTheClustersIsAsked() throws Exception {
        try (FakeResolver resolver = new FakeResolver(Answers.address("192.0.2.53", 60))) {
            Message answer = ask(answerer(resolver), query("www.example.com.", Type.A));

            assertThat(data(answer)).containsExactly("192.0.2.53");
            assertThat(answer.getHeader().getFlag(Flags.AA)).isFalse();
        }
    }

    /** What a pod searches for would tell everybody outside what is inside. */
    @Test
    void noNameOfTheClusterLeavesIt() throws Exception {
        try (FakeResolver resolver = new FakeResolver(Answers.address("192.0.2.53", 60))) {
            for (Answerer one : List.of(answerer(resolver), answerer(Optional.empty(), resolver))) {
                ask(one, query("www.example.com.default.svc.cluster.local.", Type.A));
                ask(one, query("secret.default.svc.cluster.local.", Type.ANY));
                ask(one, query("cluster.local.", Type.MX));
            }
            assertThat(resolver.asked()).isEmpty();
        }
    }

    @Test
    void untilTheClusterWasSeenNobodyKnowsItsNames() throws Exception {
        try (FakeResolver resolver = new FakeResolver(Answers.address("192.0.2.53", 60))) {
            Answerer early = answerer(Optional.empty(), resolver);

            assertThat(ask(early, query("kubernetes.default.svc.cluster.local.", Type.A))
                            .getRcode())
                    .isEqualTo(Rcode.SERVFAIL);
            assertThat(data(ask(early, query("www.example.com.", Type.A)))).containsExactly("192.0.2.53");
        }
    }

    @Test
    void withoutAResolverAnOutsideNameFails() throws Exception {
        assertThat(ask(answerer(), query("www.example.com.", Type.A)).getRcode())
                .isEqualTo(Rcode.SERVFAIL);
    }

    /** Specification, 2.5. */
    @Test
    void anExternalNameLeadsOnOutsideAndInside() throws Exception {
        try (FakeResolver resolver = new FakeResolver(Answers.address("192.0.2.53", 60))) {
            assertThat(data(ask(answerer(resolver), query("foo.default.svc.cluster.local.", Type.A))))
                    .containsExactly("www.example.com.", "192.0.2.53");
            assertThat(data(ask(answerer(resolver), query("bar.default.svc.cluster.local.", Type.A))))
                    .containsExactly("kubernetes.default.svc.cluster.local.", "10.3.0.1");
            assertThat(data(ask(answerer(resolver), query("foo.default.svc.cluster.local.", Type.CNAME))))
                    .containsExactly("www.example.com.");
        }
    }

    @Test
    void namesThatLeadInACircleFail() throws Exception {
        assertThat(ask(answerer(), query("circle.default.svc.cluster.local.", Type.A))
                        .getRcode())
                .isEqualTo(Rcode.SERVFAIL);
    }

    private static ClusterView crowd(int endpoints) {
        String addresses = String.join(
                ",",
                IntStream.range(0, endpoints)
                        .mapToObj(
                                number -> "{\"addresses\": [\"10.2." + number / 250 + "." + (1 + number % 250) + "\"]}")
                        .toList());
        Stream<Json.Fields> services =
                Stream.of(ExampleCluster.service("default", "crowd", "{\"clusterIP\": \"None\"}"));
        return ExampleCluster.view(
                services,
                Stream.of(ExampleCluster.slice("default", "crowd-1", "crowd", "{\"endpoints\": [" + addresses + "]}")));
    }

    @Test
    void whatDoesNotFitIntoADatagramIsCutAndSaysSo() throws Exception {
        Answerer many = answerer(Optional.of(crowd(200)));
        Message query = query("crowd.default.svc.cluster.local.", Type.A);
        byte[] small = many.answer(query.toWire(), Transport.UDP).orElseThrow();
        assertThat(small.length).isLessThanOrEqualTo(512);
        assertThat(new Message(small).getHeader().getFlag(Flags.TC)).isTrue();
        // Those of musl 1.2.3 take what they get.
        assertThat(new Message(small).getSection(Section.ANSWER)).hasSizeBetween(25, 30);

        Message whole = new Message(many.answer(query.toWire(), Transport.TCP).orElseThrow());
        assertThat(whole.getSection(Section.ANSWER)).hasSize(200);
        assertThat(whole.getHeader().getFlag(Flags.TC)).isFalse();

        query.addRecord(new OPTRecord(4096, 0, 0), Section.ADDITIONAL);
        byte[] larger = many.answer(query.toWire(), Transport.UDP).orElseThrow();
        assertThat(larger.length).isBetween(513, Answerer.LARGEST_DATAGRAM);
    }

    @Test
    void eachClientGetsAnotherFirstAddress() throws Exception {
        Answerer many = answerer(Optional.of(crowd(3)));
        Stream.Builder<String> firsts = Stream.builder();
        for (int turn = 0; turn < 3; turn++) {
            firsts.add(data(ask(many, query("crowd.default.svc.cluster.local.", Type.A)))
                    .getFirst());
        }
        assertThat(firsts.build().distinct()).hasSize(3);
    }

    @Test
    void refusesWhatItDoesNotDo() throws Exception {
        Message update = query("kubernetes.default.svc.cluster.local.", Type.A);
        update.getHeader().setOpcode(Opcode.UPDATE);
        assertThat(ask(answerer(), update).getRcode()).isEqualTo(Rcode.NOTIMP);
        assertThat(ask(answerer(), query("cluster.local.", Type.AXFR)).getRcode())
                .isEqualTo(Rcode.REFUSED);
        Message chaos = Message.newQuery(Record.newRecord(Name.fromString("version.bind."), Type.TXT, DClass.CH));
        assertThat(ask(answerer(), chaos).getRcode()).isEqualTo(Rcode.REFUSED);
        Message empty = new Message(7);
        assertThat(ask(answerer(), empty).getRcode()).isEqualTo(Rcode.FORMERR);
        Message later = query("kubernetes.default.svc.cluster.local.", Type.A);
        later.addRecord(new OPTRecord(1232, 0, 1), Section.ADDITIONAL);
        assertThat(ask(answerer(), later).getRcode()).isEqualTo(Rcode.BADVERS);
    }

    @Test
    void anAnswerIsNotAnswered() throws Exception {
        Message answer = query("kubernetes.default.svc.cluster.local.", Type.A);
        answer.getHeader().setFlag(Flags.QR);
        assertThat(answerer().answer(answer.toWire(), Transport.UDP)).isEmpty();
        assertThat(answerer().answer(new byte[11], Transport.UDP)).isEmpty();
    }

    /** Whatever is asked: an answer with the number and the question of the query. */
    @Test
    void everyQueryGetsAWellFormedAnswer() {
        Answerer answerer = answerer();
        qt().forAll(
                        lists().of(integers().between(0, LABELS.size() - 1)).ofSizeBetween(0, 9),
                        integers().between(0, 260))
                .checkAssert((labels, type) -> {
                    String name = String.join(
                            "",
                            labels.stream()
                                    .map(label -> LABELS.get(label) + ".")
                                    .toList());
                    try {
                        Name asked = Name.fromString(name.isEmpty() ? "." : name);
                        Message query = new Message(4711);
                        query.addRecord(Record.newRecord(asked, type, DClass.IN), Section.QUESTION);
                        Message answer = new Message(
                                answerer.answer(query.toWire(), Transport.UDP).orElseThrow());
                        assertThat(answer.getHeader().getID()).isEqualTo(4711);
                        assertThat(answer.getQuestion()).isEqualTo(query.getQuestion());
                    } catch (TextParseException e) {
                        assertThat(name.length()).isGreaterThan(255);
                    } catch (IOException e) {
                        throw new AssertionError("not well-formed for " + name + " " + type, e);
                    }
                });
    }

    /** Bytes that are no message at all, and messages with a byte that is another. */
    @Test
    void noBytesAreTooOdd() throws Exception {
        Answerer answerer = answerer();
        byte[] good = query("_https._tcp.kubernetes.default.svc.cluster.local.", Type.SRV)
                .toWire();
        qt().forAll(
                        integers().between(0, good.length - 1),
                        integers().between(0, 255),
                        integers().between(12, good.length))
                .checkAssert((place, value, length) -> {
                    byte[] odd = Arrays.copyOf(good, length);
                    odd[place % length] = (byte) (int) value;
                    answerer.answer(odd, Transport.UDP)
                            .ifPresent(answer -> assertThat(answer)
                                    .hasSizeGreaterThanOrEqualTo(12)
                                    .startsWith(odd[0], odd[1]));
                });
    }
}
