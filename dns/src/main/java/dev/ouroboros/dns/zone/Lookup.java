package dev.ouroboros.dns.zone;

import java.util.List;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;

/** What the cluster says of a name and a type. */
public sealed interface Lookup {
    /** @param additional addresses of what the answers name */
    record Found(List<Record> answers, List<Record> additional) implements Lookup {
        public Found {
            answers = List.copyOf(answers);
            additional = List.copyOf(additional);
        }
    }

    /** Another name, of whom it has to be asked. */
    record Alias(CNAMERecord alias) implements Lookup {}

    /** The name is there and has no record of the type. */
    record NoData(SOARecord authority) implements Lookup {}

    /** There is no such name, and none below it. */
    record NoSuchName(SOARecord authority) implements Lookup {}

    /** The cluster's to answer, and it has not been seen yet. */
    record Unknown() implements Lookup {}

    /** Not the cluster's to answer. */
    record Elsewhere() implements Lookup {}
}
