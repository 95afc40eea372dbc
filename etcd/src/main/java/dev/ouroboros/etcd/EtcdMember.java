package dev.ouroboros.etcd;

import java.util.List;
import java.util.Set;

/**
 * A member as the members' list has it.
 *
 * @param id in hexadecimal, as etcdctl shows it
 * @param name empty for one that was added and has never run
 * @param peerUrls where the other members reach it
 * @param clientUrls where it says that clients reach it; empty for one that has never run
 * @param isLearner whether it only follows: it has no vote, and serves no reads that must be current
 */
public record EtcdMember(String id, String name, List<String> peerUrls, List<String> clientUrls, boolean isLearner) {
    public EtcdMember {
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }

    /** As a person knows it: its name, or its ID and where it is to be when it has none yet. */
    public String title() {
        return name.isEmpty() ? id + " (" + String.join(", ", peerUrls) + ")" : name;
    }

    /** Whether the others reach it at these URLs, in any order, and at no others. */
    public boolean isAt(List<String> urls) {
        return Set.copyOf(peerUrls).equals(Set.copyOf(urls));
    }
}
