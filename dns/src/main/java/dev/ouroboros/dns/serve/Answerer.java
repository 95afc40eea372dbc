package dev.ouroboros.dns.serve;

import dev.ouroboros.dns.forward.Forwarder;
import dev.ouroboros.dns.zone.ClusterView;
import dev.ouroboros.dns.zone.ClusterZone;
import dev.ouroboros.dns.zone.Lookup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedFlags;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * The answer to a message, whatever is in it. Names of the cluster come from the view, and while there is none yet nobody can say what they
 * are (SERVFAIL); they are asked of nobody else. All other names are the forwarder's.
 */
public final class Answerer {
    /** What fits into one packet on any path (DNS Flag Day 2020). */
    static final int LARGEST_DATAGRAM = 1232;

    static final int SMALLEST_DATAGRAM = 512;
    static final int LARGEST_MESSAGE = 65_535;
    private static final int HEADER = 12;
    /** Of names that lead to names of the cluster. */
    private static final int MOST_ALIASES = 8;

    private final ClusterZone zone;
    private final Supplier<Optional<ClusterView>> view;
    private final Forwarder forwarder;
    private final Counters counters;
    private final AtomicInteger turn = new AtomicInteger();

    /** @param view empty until the cluster was seen */
    public Answerer(ClusterZone zone, Supplier<Optional<ClusterView>> view, Forwarder forwarder, Counters counters) {
        this.zone = zone;
        this.view = view;
        this.forwarder = forwarder;
        this.counters = counters;
    }

    /** How a message came. */
    public enum Transport {
        UDP,
        TCP
    }

    /**
     * Answers.
     *
     * @return empty when there is nothing to answer: no header, or an answer itself
     */
    public Optional<byte[]> answer(byte[] wire, Transport transport) {
        if (wire.length < HEADER || (wire[2] & 0x80) != 0) {
            return Optional.empty();
        }
        Message query;
        try {
            query = new Message(wire);
        } catch (IOException | IllegalArgumentException e) {
            counters.malformed();
            return Optional.of(malformed(wire));
        }
        Message reply = reply(query);
        int limit = transport == Transport.TCP ? LARGEST_MESSAGE : datagramLimit(query);
        return Optional.of(fitting(reply, limit));
    }

    /**
     * The message, or as many of its answers as have room, and that there are more. Resolvers of musl before 1.2.4 do not ask again over TCP: to
     * them a part is better than nothing.
     */
    private static byte[] fitting(Message reply, int limit) {
        byte[] whole = reply.toWire();
        if (whole.length <= limit) {
            return whole;
        }
        List<Record> answers = List.copyOf(reply.getSection(Section.ANSWER));
        for (Record additional : List.copyOf(reply.getSection(Section.ADDITIONAL))) {
            if (additional.getType() != Type.OPT) {
                reply.removeRecord(additional, Section.ADDITIONAL);
            }
        }
        int fits = 0;
        for (int tooMany = answers.size() + 1; tooMany - fits > 1; ) {
            int tried = (fits + tooMany) / 2;
            if (cut(reply, answers, tried).length <= limit) {
                fits = tried;
            } else {
                tooMany = tried;
            }
        }
        return cut(reply, answers, fits);
    }

    /** Additional records are left out without a word, answers are not. */
    private static byte[] cut(Message reply, List<Record> answers, int count) {
        reply.removeAllRecords(Section.ANSWER);
        answers.subList(0, count).forEach(answer -> reply.addRecord(answer, Section.ANSWER));
        if (count < answers.size()) {
            reply.getHeader().setFlag(Flags.TC);
        } else {
            reply.getHeader().unsetFlag(Flags.TC);
        }
        return reply.toWire();
    }

    private static byte[] malformed(byte[] wire) {
        Message reply = new Message((wire[0] & 0xff) << 8 | (wire[1] & 0xff));
        reply.getHeader().setFlag(Flags.QR);
        reply.getHeader().setRcode(Rcode.FORMERR);
        return reply.toWire();
    }

    private static int datagramLimit(Message query) {
        OPTRecord options = query.getOPT();
        int wanted = options == null ? SMALLEST_DATAGRAM : options.getPayloadSize();
        return Math.clamp(wanted, SMALLEST_DATAGRAM, LARGEST_DATAGRAM);
    }

    private Message reply(Message query) {
        Header asked = query.getHeader();
        Message reply = new Message(asked.getID());
        Header header = reply.getHeader();
        header.setFlag(Flags.QR);
        header.setOpcode(asked.getOpcode());
        if (asked.getFlag(Flags.RD)) {
            header.setFlag(Flags.RD);
        }
        header.setFlag(Flags.RA);
        query.getSection(Section.QUESTION).forEach(question -> reply.addRecord(question, Section.QUESTION));
        Record question = query.getQuestion();
        OPTRecord options = query.getOPT();
        int extended = 0;
        if (asked.getOpcode() != Opcode.QUERY) {
            header.setRcode(Rcode.NOTIMP);
        } else if (question == null || asked.getCount(Section.QUESTION) != 1) {
            header.setRcode(Rcode.FORMERR);
        } else if (options != null && options.getVersion() != 0) {
            // Of BADVERS the lower four bits are in the header, and are zero.
            extended = Rcode.BADVERS >> 4;
        } else if (question.getDClass() != DClass.IN || isTransfer(question.getType())) {
            header.setRcode(Rcode.REFUSED);
        } else {
            fill(reply, question, options != null && (options.getFlags() & ExtendedFlags.DO) != 0);
        }
        if (options != null) {
            reply.addRecord(
                    new OPTRecord(LARGEST_DATAGRAM, extended, 0, options.getFlags() & ExtendedFlags.DO),
                    Section.ADDITIONAL);
        }
        return reply;
    }

    private static boolean isTransfer(int type) {
        return type == Type.AXFR || type == Type.IXFR || type == Type.MAILA || type == Type.MAILB;
    }

    private void fill(Message reply, Record question, boolean security) {
        if (question.getName().subdomain(Forwarder.LOOP)) {
            reply.addRecord(Forwarder.loopMark(question.getName()), Section.ANSWER);
            return;
        }
        Name name = question.getName();
        for (int aliases = 0; aliases < MOST_ALIASES; aliases++) {
            switch (look(name, question.getType())) {
                case Lookup.Found(List<Record> answers, List<Record> additional) -> {
                    counters.fromCluster();
                    rotated(answers).forEach(found -> reply.addRecord(found, Section.ANSWER));
                    additional.forEach(found -> reply.addRecord(found, Section.ADDITIONAL));
                    authoritative(reply, Rcode.NOERROR);
                }
                case Lookup.NoData(SOARecord authority) -> {
                    counters.fromCluster();
                    reply.addRecord(authority, Section.AUTHORITY);
                    authoritative(reply, Rcode.NOERROR);
                }
                case Lookup.NoSuchName(SOARecord authority) -> {
                    counters.fromCluster();
                    reply.addRecord(authority, Section.AUTHORITY);
                    authoritative(reply, Rcode.NXDOMAIN);
                }
                case Lookup.Alias(CNAMERecord alias) -> {
                    reply.addRecord(alias, Section.ANSWER);
                    if (question.getType() == Type.CNAME || question.getType() == Type.ANY) {
                        counters.fromCluster();
                        authoritative(reply, Rcode.NOERROR);
                        return;
                    }
                    name = alias.getTarget();
                    continue;
                }
                case Lookup.Elsewhere() -> forward(reply, name, question.getType(), security);
                case Lookup.Unknown() -> {
                    counters.failed();
                    reply.getHeader().setRcode(Rcode.SERVFAIL);
                }
            }
            return;
        }
        counters.failed();
        reply.getHeader().setRcode(Rcode.SERVFAIL);
    }

    private Lookup look(Name name, int type) {
        Optional<ClusterView> seen = view.get();
        if (seen.isPresent()) {
            return zone.look(name, type, seen.get());
        }
        return zone.owns(name) ? new Lookup.Unknown() : new Lookup.Elsewhere();
    }

    private static void authoritative(Message reply, int code) {
        reply.getHeader().setFlag(Flags.AA);
        reply.getHeader().setRcode(code);
    }

    private void forward(Message reply, Name name, int type, boolean security) {
        Optional<Message> answer = forwarder.resolve(name, type, security);
        if (answer.isEmpty()) {
            counters.failed();
            reply.getHeader().setRcode(Rcode.SERVFAIL);
            return;
        }
        counters.forwarded();
        reply.getHeader().setRcode(answer.get().getHeader().getRcode());
        for (int section : new int[] {Section.ANSWER, Section.AUTHORITY, Section.ADDITIONAL}) {
            answer.get().getSection(section).stream()
                    .filter(found -> found.getType() != Type.OPT)
                    .forEach(found -> reply.addRecord(found, section));
        }
    }

    /** Many take the first address: each gets another one. */
    private List<Record> rotated(List<Record> answers) {
        List<Record> rotated = new ArrayList<>(answers);
        Collections.rotate(rotated, turn.getAndIncrement());
        return rotated;
    }
}
