package dev.ouroboros.dns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

final class ForwarderTest {
    private static final Name NAME = Name.fromConstantString("www.example.com.");

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final InstantSource clock = now::get;

    private static List<String> data(Optional<Message> answer) {
        return answer.orElseThrow().getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }

    @Test
    void asksTheNextResolverWhenOneIsSilentOrFails() throws Exception {
        try (FakeResolver silent = new FakeResolver(_ -> Optional.empty());
                FakeResolver failing = new FakeResolver(query -> Optional.of(Answers.empty(query, Rcode.SERVFAIL)));
                FakeResolver good = new FakeResolver(Answers.address("192.0.2.1", 60))) {
            assertThat(data(new Forwarder(List.of(silent.address(), good.address()), clock)
                            .resolve(NAME, Type.A, false)))
                    .containsExactly("192.0.2.1");
            assertThat(data(new Forwarder(List.of(failing.address(), good.address()), clock)
                            .resolve(NAME, Type.A, false)))
                    .containsExactly("192.0.2.1");
        }
    }

    @Test
    void asksWhoAnsweredLastFirst() throws Exception {
        try (FakeResolver failing = new FakeResolver(query -> Optional.of(Answers.empty(query, Rcode.REFUSED)));
                FakeResolver good = new FakeResolver(Answers.address("192.0.2.1", 0))) {
            Forwarder forwarder = new Forwarder(List.of(failing.address(), good.address()), clock);
            forwarder.resolve(NAME, Type.A, false);
            forwarder.resolve(NAME, Type.A, false);

            assertThat(failing.asked()).hasSize(1);
            assertThat(good.asked()).hasSize(2);
        }
    }

    @Test
    void tellsWhatTheLastOneSaidWhenAllFail() throws Exception {
        try (FakeResolver failing = new FakeResolver(query -> Optional.of(Answers.empty(query, Rcode.REFUSED)))) {
            assertThat(new Forwarder(List.of(failing.address()), clock).resolve(NAME, Type.A, false))
                    .hasValueSatisfying(answer -> assertThat(answer.getRcode()).isEqualTo(Rcode.REFUSED));
        }
        assertThat(new Forwarder(List.of(), clock).resolve(NAME, Type.A, false)).isEmpty();
    }

    @Test
    void remembersAnAnswerAsLongAsItMay() throws Exception {
        try (FakeResolver good = new FakeResolver(Answers.address("192.0.2.1", 20))) {
            Forwarder forwarder = new Forwarder(List.of(good.address()), clock);
            forwarder.resolve(NAME, Type.A, false);
            now.set(Instant.EPOCH.plusSeconds(15));
            Optional<Message> later = forwarder.resolve(Name.fromConstantString("WWW.example.com."), Type.A, false);

            assertThat(good.asked()).hasSize(1);
            assertThat(later.orElseThrow().getSection(Section.ANSWER).getFirst().getTTL())
                    .isEqualTo(5);
            now.set(Instant.EPOCH.plusSeconds(20));
            forwarder.resolve(NAME, Type.A, false);
            assertThat(good.asked()).hasSize(2);
        }
    }

    @Test
    void doesNotRememberAFailure() throws Exception {
        try (FakeResolver failing = new FakeResolver(query -> Optional.of(Answers.empty(query, Rcode.SERVFAIL)))) {
            Forwarder forwarder = new Forwarder(List.of(failing.address()), clock);
            forwarder.resolve(NAME, Type.A, false);
            forwarder.resolve(NAME, Type.A, false);
            assertThat(failing.asked()).hasSize(2);
        }
    }

    @Test
    void asksOverTcpWhatDoesNotFitIntoADatagram() throws Exception {
        try (FakeResolver large = new FakeResolver(
                query -> {
                    Message cut = Answers.empty(query, 0);
                    cut.getHeader().setFlag(Flags.TC);
                    return Optional.of(cut);
                },
                Answers.address("192.0.2.2", 60))) {
            assertThat(data(new Forwarder(List.of(large.address()), clock).resolve(NAME, Type.A, false)))
                    .containsExactly("192.0.2.2");
        }
    }

    /** Whoever can guess a port could otherwise answer for a resolver. */
    @Test
    void takesNoAnswerToAnotherQuestion() throws Exception {
        try (FakeResolver forger = new FakeResolver(query -> {
                    Message forged =
                            Answers.address("192.0.2.66", 60).apply(query).orElseThrow();
                    forged.getHeader().setID((query.getHeader().getID() + 1) & 0xffff);
                    return Optional.of(forged);
                });
                FakeResolver good = new FakeResolver(Answers.address("192.0.2.1", 60))) {
            assertThat(data(new Forwarder(List.of(forger.address(), good.address()), clock)
                            .resolve(NAME, Type.A, false)))
                    .containsExactly("192.0.2.1");
        }
    }

    @Test
    void doesNotAskAResolverThatAsksUsAgain() throws Exception {
        // As one that forwards to the cluster's DNS.
        try (FakeResolver looping = new FakeResolver(query -> {
                    Message answer = Answers.empty(query, 0);
                    answer.addRecord(Forwarder.loopMark(query.getQuestion().getName()), Section.ANSWER);
                    return Optional.of(answer);
                });
                FakeResolver good = new FakeResolver(query -> Optional.of(Answers.empty(query, Rcode.NXDOMAIN)))) {
            Forwarder forwarder = new Forwarder(List.of(looping.address(), good.address()), clock);

            assertThat(forwarder.searchLoops()).isTrue();
            assertThat(forwarder.usable()).isEqualTo(1);
            forwarder.resolve(NAME, Type.A, false);
            assertThat(looping.asked()).hasSize(1);
        }
    }

    @Test
    void searchesAgainWhileAResolverIsSilent() throws Exception {
        try (FakeResolver silent = new FakeResolver(_ -> Optional.empty())) {
            assertThat(new Forwarder(List.of(silent.address()), clock).searchLoops())
                    .isFalse();
        }
    }
}
