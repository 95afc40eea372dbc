package dev.ouroboros.dns.forward;

import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Function;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Section;

/** What resolvers say in tests. */
public final class Answers {
    private Answers() {}

    /** An answer to the query without records. */
    public static Message empty(Message query, int code) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setRcode(code);
        answer.addRecord(query.getQuestion(), Section.QUESTION);
        return answer;
    }

    /** This address for every name. */
    public static Function<Message, Optional<Message>> address(String address, long ttl) {
        return query -> {
            Message answer = empty(query, 0);
            answer.addRecord(
                    new ARecord(query.getQuestion().getName(), DClass.IN, ttl, InetAddress.ofLiteral(address)),
                    Section.ANSWER);
            return Optional.of(answer);
        };
    }
}
