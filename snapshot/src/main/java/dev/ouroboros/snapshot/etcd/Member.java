package dev.ouroboros.snapshot.etcd;

import java.util.List;

/** A member of the cluster as the file knows it; one that never started has no name. */
public record Member(String id, String name, List<String> peerUrls, List<String> clientUrls, boolean learner) {
    public Member {
        peerUrls = List.copyOf(peerUrls);
        clientUrls = List.copyOf(clientUrls);
    }
}
