package dev.ouroboros.dns.forward;

import dev.ouroboros.dns.forward.AnswerCache.Question;
import dev.ouroboros.model.component.Component;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedFlags;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * Asks the node's resolvers, the one that answered last first, and remembers what they say for a while. A resolver that asks us
 * in turn, perhaps by way of others, is found by a name that only a server of this kind knows: whoever answers it is not asked again.
 */
public final class Forwarder {
    /** Nobody but a server like this one has names below it: RFC 6761 keeps {@code invalid} free. */
    public static final Name LOOP = Name.fromConstantString("loop.ouroboros-dns.invalid.");

    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);
    /** A resolver of libc waits 5 s before it asks again: two of ours can be tried by then. */
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private static final int MOST_TRIES = 2;
    private static final int PAYLOAD = 1232;
    private static final String MARK = Component.DNS.id();

    private final List<Upstream> upstreams;
    private final AnswerCache cache;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger preferred = new AtomicInteger();
    private final Set<InetSocketAddress> looping = ConcurrentHashMap.newKeySet();

    /** @param clock never jumps */
    public Forwarder(List<InetSocketAddress> resolvers, InstantSource clock) {
        this.upstreams = resolvers.stream().map(Upstream::new).toList();
        this.cache = new AnswerCache(clock);
    }

    /** How many resolvers can be asked. */
    public int usable() {
        return upstreams.size() - looping.size();
    }

    /**
     * What the resolvers say; the sections and the code of it are of use, no more.
     *
     * @param security whether the client wants signatures
     * @return empty when none answered
     */
    public Optional<Message> resolve(Name name, int type, boolean security) {
        Question question = new Question(name, type, security);
        Optional<Message> known = cache.find(question);
        if (known.isPresent()) {
            return known;
        }
        Optional<Message> failure = Optional.empty();
        int first = preferred.get();
        int tries = 0;
        for (int turn = 0; turn < upstreams.size() && tries < MOST_TRIES; turn++) {
            int index = (first + turn) % upstreams.size();
            Upstream upstream = upstreams.get(index);
            if (looping.contains(upstream.address())) {
                continue;
            }
            tries++;
            Optional<Message> answer = ask(upstream, query(name, type, security));
            if (answer.isPresent() && isFinal(answer.get())) {
                preferred.set(index);
                cache.keep(question, answer.get());
                return answer;
            }
            failure = answer.isPresent() ? answer : failure;
        }
        return failure;
    }

    /** Others may know more than one that fails or refuses. */
    private static boolean isFinal(Message answer) {
        return answer.getRcode() == Rcode.NOERROR || answer.getRcode() == Rcode.NXDOMAIN;
    }

    private Optional<Message> ask(Upstream upstream, Message query) {
        try {
            return Optional.of(upstream.ask(query, LIMIT));
        } catch (IOException e) {
            LOG.debug(
                    "component=dns event=upstream-failed resolver={} question=\"{}\" reason=\"{}\"",
                    upstream.address(),
                    query.getQuestion(),
                    e.toString());
            return Optional.empty();
        }
    }

    private Message query(Name name, int type, boolean security) {
        Message query = new Message(random.nextInt(1 << 16));
        Header header = query.getHeader();
        header.setFlag(Flags.RD);
        query.addRecord(Record.newRecord(name, type, DClass.IN), Section.QUESTION);
        query.addRecord(new OPTRecord(PAYLOAD, 0, 0, security ? ExtendedFlags.DO : 0), Section.ADDITIONAL);
        return query;
    }

    /** The answer to a name below {@link #LOOP}. */
    public static Record loopMark(Name name) {
        return new TXTRecord(name, DClass.IN, 0, MARK);
    }

    /**
     * Asks each resolver the name that only we answer.
     *
     * @return whether all of them have said something
     */
    public boolean searchLoops() {
        boolean complete = true;
        for (Upstream upstream : upstreams) {
            if (looping.contains(upstream.address())) {
                continue;
            }
            Optional<Message> answer = ask(upstream, query(loopName(), Type.TXT, false));
            complete &= answer.isPresent();
            boolean ours = answer.stream()
                    .flatMap(message -> message.getSection(Section.ANSWER).stream())
                    .anyMatch(found ->
                            found instanceof TXTRecord text && text.getStrings().contains(MARK));
            if (ours && looping.add(upstream.address())) {
                LOG.error(
                        "component=dns event=loop resolver={} reason=\"it asks the cluster's DNS what it is asked, and is not asked any more;"
                                + " name the node's real resolvers in the file of the kubelet's resolvConf\"",
                        upstream.address());
            }
        }
        return complete;
    }

    private Name loopName() {
        byte[] bytes = new byte[8];
        random.nextBytes(bytes);
        try {
            return Name.fromString(HexFormat.of().formatHex(bytes), LOOP);
        } catch (TextParseException e) {
            throw new IllegalStateException("sixteen digits are a label", e);
        }
    }
}
