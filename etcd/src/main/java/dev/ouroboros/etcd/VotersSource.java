package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.QuorumLoss.Answers;
import dev.ouroboros.etcd.decide.QuorumLoss.Refuses;
import dev.ouroboros.etcd.decide.QuorumLoss.Silent;
import dev.ouroboros.etcd.decide.QuorumLoss.Stored;
import dev.ouroboros.etcd.decide.QuorumLoss.Voter;
import dev.ouroboros.etcd.decide.QuorumLoss.Word;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.snapshot.etcd.EtcdFacts;
import dev.ouroboros.snapshot.etcd.EtcdFile;
import dev.ouroboros.snapshot.etcd.Member;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Asks a node's member and all of its list, each for itself: nothing here needs a majority. Where the member does not answer, its database says who the others are: an etcd that has started without a majority serves no
 * client (it waits until it has made itself known in the list, {@code publish} in etcdserver/server.go).
 */
final class VotersSource {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final EtcdMemberPod member;

    /**
     * Where a member is, to be asked without its list.
     *
     * @param id in hexadecimal
     * @param url at which clients reach it
     */
    record Place(String id, String url) {}

    VotersSource(EtcdMemberPod member) {
        this.member = member;
    }

    EtcdServers servers() {
        return EtcdServers.ofMember(List.of(member.clientUrl()), member);
    }

    /** Its database, on the node. */
    Path database() {
        return Path.of(member.etcd().dataDirectory()).resolve("member/snap/db");
    }

    /**
     * Members as they are seen from here.
     *
     * @param own ID of this node's, in hexadecimal
     */
    private record Listed(String own, Word word, List<EtcdMember> members) {
        /** The others that vote. */
        List<EtcdMember> others() {
            return members.stream()
                    .filter(each -> !each.isLearner() && !each.id().equals(own))
                    .toList();
        }

        /** Where one of them is reached from here: what this node's member says of itself, too, as a loopback address, is this node. */
        List<Place> placesOf(EtcdMember other) {
            List<String> here = members.stream()
                    .filter(each -> each.id().equals(own))
                    .flatMap(each -> each.clientUrls().stream())
                    .toList();
            return other.clientUrls().stream()
                    .filter(url -> !here.contains(url))
                    .map(url -> new Place(other.id(), url))
                    .toList();
        }
    }

    /**
     * Unknown where the member neither answers nor has a database that can be read.
     *
     * @throws ProblemException ETCD_REFUSED when it refuses us
     */
    Evidence<List<Voter>> voters() {
        return listed().map(this::voters);
    }

    private List<Voter> voters(Listed listed) {
        List<Voter> voters = new ArrayList<>();
        for (EtcdMember each : listed.members()) {
            if (each.id().equals(listed.own())) {
                voters.add(new Voter(each.title(), true, listed.word()));
            } else if (!each.isLearner()) {
                voters.add(new Voter(each.title(), false, ask(listed.placesOf(each))));
            }
        }
        return voters;
    }

    private Evidence<Listed> listed() {
        Endpoint own = servers().members().getFirst();
        try (EtcdConnection etcd = EtcdConnection.open(own, PATIENCE)) {
            EtcdMemberStatus status = etcd.status();
            return Evidence.known(new Listed(status.memberId(), answer(status), etcd.members()));
        } catch (IOException e) {
            Problem problem = EtcdProblems.of(own, e);
            if (problem.code() != ErrorCode.ETCD_UNAVAILABLE) {
                throw new ProblemException(problem);
            }
            return stored();
        }
    }

    private Evidence<Listed> stored() {
        return facts().flatMap(facts -> facts.members().stream()
                .filter(each -> Set.copyOf(each.peerUrls()).equals(Set.copyOf(member.peerUrls())))
                .findFirst()
                .map(own -> Evidence.known(new Listed(
                        own.id(),
                        new Stored(facts.consistentIndex().orElse(0)),
                        facts.members().stream().map(VotersSource::member).toList())))
                .orElseGet(() ->
                        Evidence.unknown(database() + " has no member at " + String.join(", ", member.peerUrls()))));
    }

    private Evidence<EtcdFacts> facts() {
        return Evidence.asking(() -> {
            try (EtcdFile file = EtcdFile.open(database())) {
                if (!file.damages().isEmpty()) {
                    throw new ProblemException(file.damages().problems());
                }
                return file.facts();
            }
        });
    }

    private static EtcdMember member(Member stored) {
        return new EtcdMember(stored.id(), stored.name(), stored.peerUrls(), stored.clientUrls(), stored.learner());
    }

    /** Where the other members that vote are; unknown as {@link #voters}. */
    Evidence<List<Place>> others() {
        return listed().map(known -> known.others().stream()
                .flatMap(other -> known.placesOf(other).stream())
                .toList());
    }

    private Word ask(List<Place> places) {
        Word word = new Silent("it has never run", false);
        for (Place place : places) {
            word = ask(place);
            if (!(word instanceof Silent)) {
                return word;
            }
        }
        return word;
    }

    private Word ask(Place place) {
        Endpoint server =
                EtcdServers.ofMember(List.of(place.url()), member).members().getFirst();
        try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
            EtcdMemberStatus status = etcd.status();
            // Its address may be another one's by now.
            return status.memberId().equals(place.id())
                    ? answer(status)
                    : new Silent("member " + status.memberId() + " answers at " + place.url(), false);
        } catch (IOException e) {
            return silence(EtcdProblems.of(server, e), e);
        }
    }

    private static Answers answer(EtcdMemberStatus status) {
        return new Answers(status.leader().isPresent(), status.committed(), status.applied(), status.revision());
    }

    private static Word silence(Problem problem, IOException failure) {
        // Who takes the connection and says nothing is an etcd that has started without the others; who shakes hands is
        // one that is slow.
        boolean isTaken = failure instanceof GrpcException
                || (failure instanceof SocketTimeoutException
                        && String.valueOf(failure.getMessage()).contains("Read timed out"));
        if (isTaken || problem.code() != ErrorCode.ETCD_UNAVAILABLE) {
            return new Refuses(problem.describe());
        }
        return new Silent(
                problem.describe(),
                failure instanceof ConnectException
                        && String.valueOf(failure.getMessage()).contains("refused"));
    }

    /**
     * Requires that none of the others says anything, and that this node's member, as far as it or its disk tells, was alone since.
     *
     * @param applied index of the last entry that it had applied when its data were saved
     * @throws ProblemException CHANGE_REFUSED when somebody is back, or was
     */
    void requireStillAlone(List<Place> others, long applied) {
        for (Place place : others) {
            if (!(ask(place) instanceof Silent)) {
                throw isBack(place.url(), "answers: a member that was given up is back");
            }
        }
        // While it is ended nobody tells; what is restored in its place begins its log anew.
        boolean agreed = listed().is(own -> switch (own.word()) {
            case Answers answers -> answers.hasLeader() || answers.applied() > applied;
            case Stored(long now) -> now > applied;
            case Refuses _, Silent _ -> false;
        });
        if (agreed) {
            throw isBack(member.clientUrl(), "has agreed with others since its data were saved");
        }
    }

    private static ProblemException isBack(String where, String what) {
        return ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                where,
                what,
                "silence of all others",
                "see ouro etcd status; run this again if they are lost all the same");
    }
}
