package dev.ouroboros.dns.forward;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Answers of others, for as long as they said, and not longer than half a minute: what changes there is seen here soon. A bounded
 * number; who was not asked for longest goes.
 */
final class AnswerCache {
    private static final int MOST = 1000;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final InstantSource clock;
    private final Map<Question, Kept> kept = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Question, Kept> eldest) {
            return size() > MOST;
        }
    };

    /**
     * What was asked. Names compare without case.
     *
     * @param security whether signatures were asked for, too
     */
    record Question(Name name, int type, boolean security) {}

    private record Kept(Message answer, Instant since, Instant until) {}

    /** @param clock never jumps */
    AnswerCache(InstantSource clock) {
        this.clock = clock;
    }

    /** With what is left of each record's time. */
    synchronized Optional<Message> find(Question question) {
        Kept found = kept.get(question);
        Instant now = clock.instant();
        if (found == null || !now.isBefore(found.until())) {
            kept.remove(question);
            return Optional.empty();
        }
        return Optional.of(
                aged(found.answer(), Duration.between(found.since(), now).toSeconds()));
    }

    synchronized void keep(Question question, Message answer) {
        long seconds = Math.min(lifetime(answer), LONGEST.toSeconds());
        if (seconds > 0) {
            Instant now = clock.instant();
            kept.put(question, new Kept(answer, now, now.plusSeconds(seconds)));
        }
    }

    /** RFC 2308: what is not there is remembered for as long as the SOA record says, and not at all without one. */
    private static long lifetime(Message answer) {
        int code = answer.getRcode();
        if (code != Rcode.NOERROR && code != Rcode.NXDOMAIN) {
            return 0;
        }
        if (code == Rcode.NOERROR && !answer.getSection(Section.ANSWER).isEmpty()) {
            return answer.getSection(Section.ANSWER).stream()
                    .mapToLong(Record::getTTL)
                    .min()
                    .orElse(0);
        }
        return answer.getSection(Section.AUTHORITY).stream()
                .filter(SOARecord.class::isInstance)
                .mapToLong(authority -> Math.min(authority.getTTL(), ((SOARecord) authority).getMinimum()))
                .findFirst()
                .orElse(0);
    }

    private static Message aged(Message answer, long seconds) {
        Message copy = new Message();
        copy.getHeader().setRcode(answer.getRcode());
        for (int section : new int[] {Section.ANSWER, Section.AUTHORITY, Section.ADDITIONAL}) {
            for (Record old : answer.getSection(section)) {
                copy.addRecord(old.getType() == Type.OPT ? old : aged(old, seconds), section);
            }
        }
        return copy;
    }

    private static Record aged(Record old, long seconds) {
        return Record.newRecord(
                old.getName(),
                old.getType(),
                old.getDClass(),
                Math.max(0, old.getTTL() - seconds),
                old.rdataToWireCanonical());
    }
}
