package dev.ouroboros.etcd;

import dev.ouroboros.api.HttpConnection;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.etcd.EtcdConnection.KeySpace;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Asks every member of an etcd, those too that only the others know of. Changes nothing. */
public final class EtcdClusterSource {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** A hash reads the whole database. */
    private static final Duration HASH_PATIENCE = Duration.ofMinutes(2);

    private static final int LARGEST_METRICS = 4 << 20;

    private final EtcdServers servers;

    public EtcdClusterSource(EtcdServers servers) {
        this.servers = servers;
    }

    /** What one of the servers that were named says. */
    private record Answer(Endpoint server, EtcdMemberStatus status, List<EtcdMember> members) {}

    /** Either an answer, or why there is none. */
    private record Asked<T>(Optional<T> answer, Optional<Problem> problem) {
        Evidence<T> evidence() {
            return answer.map(Evidence::known)
                    .orElseGet(() ->
                            Evidence.unknown(problem.map(Problem::describe).orElse("")));
        }
    }

    /** A question to one member. */
    private interface Question<T> {
        T ask(Endpoint server) throws IOException;
    }

    private interface GrpcQuestion<T> {
        T ask(EtcdConnection etcd) throws IOException;
    }

    private static <T> Question<T> over(GrpcQuestion<T> question) {
        return server -> {
            try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
                return question.ask(etcd);
            }
        };
    }

    /** What is not asked of members by each look. */
    public enum Detail {
        /** Of the key spaces of those that follow the leader, at the latest revision that all of them have. Each reads its whole database for it, and takes no write meanwhile. */
        HASHES,
        /** How fast their disks are. */
        WAL_SYNCS
    }

    /**
     * What each member says, or why it says nothing.
     *
     * @throws ProblemException why none of the servers that were named answers, or that they are not of one cluster
     */
    public EtcdCluster look(Detail... details) {
        Set<Detail> wanted = Set.of(details);
        List<Answer> answers = answers();
        EtcdCluster seen = look(answers);
        return new EtcdCluster(
                seen.members(),
                seen.statuses(),
                wanted.contains(Detail.HASHES) ? hashes(seen, answers) : new TreeMap<>(),
                wanted.contains(Detail.WAL_SYNCS)
                        ? askEach(answering(seen), answers, EtcdClusterSource::walSyncs)
                        : new TreeMap<>(),
                seen.alarms());
    }

    private SortedMap<String, Evidence<Hash>> hashes(EtcdCluster seen, List<Answer> answers) {
        long revision = seen.told()
                .filter(seen::follows)
                .mapToLong(EtcdMemberStatus::revision)
                .min()
                .orElse(0);
        return askEach(seen.following(), answers, over(etcd -> hashAt(revision, etcd)));
    }

    /** Others would be waited for once more. */
    private static List<EtcdMember> answering(EtcdCluster seen) {
        return seen.members().stream()
                .filter(member -> seen.statusOf(member) instanceof Known<EtcdMemberStatus>)
                .toList();
    }

    private static WalSyncs walSyncs(Endpoint server) throws IOException {
        try (HttpConnection connection = HttpConnection.open(
                server.newSslContext(), server.address(), PATIENCE, HttpConnection.ServerNames.COMPARED)) {
            HttpConnection.Answer answer =
                    connection.exchange(HttpConnection.Request.get("/metrics", server.authority()));
            String text = new String(answer.bodyUpTo(LARGEST_METRICS), StandardCharsets.UTF_8);
            return WalSyncs.in(text)
                    .orElseThrow(() -> new ProtocolException(
                            "its metrics say nothing of its log: /metrics answers " + answer.statusLine()));
        }
    }

    /** Of the servers that were named. */
    private List<Answer> answers() {
        Collection<Asked<Answer>> asked = atOnce(
                        servers.members(),
                        server -> ask(server, over(etcd -> new Answer(server, etcd.status(), etcd.members()))))
                .values();
        List<Answer> answers =
                asked.stream().flatMap(each -> each.answer().stream()).toList();
        if (answers.isEmpty()) {
            throw new ProblemException(
                    asked.stream().flatMap(each -> each.problem().stream()).toList());
        }
        requireOneCluster(answers);
        return answers;
    }

    private EtcdCluster look(List<Answer> answers) {
        List<EtcdMember> members = answers.stream()
                // One that is cut off may be of a later term, by elections that it lost.
                .max(Comparator.<Answer, Boolean>comparing(
                                answer -> answer.status().leader().isPresent())
                        .thenComparingLong(answer -> answer.status().term())
                        .thenComparingLong(answer -> answer.status().applied()))
                .map(Answer::members)
                .orElse(List.of());
        SortedMap<String, Evidence<EtcdMemberStatus>> statuses = new TreeMap<>();
        askEach(members, answers, over(EtcdConnection::status))
                .forEach((id, status) -> statuses.put(id, status.flatMap(found -> itself(id, found))));
        return new EtcdCluster(members, statuses, new TreeMap<>(), new TreeMap<>(), alarms());
    }

    private static void requireOneCluster(List<Answer> answers) {
        SortedSet<String> clusters = answers.stream()
                .map(answer -> answer.status().clusterId())
                .collect(Collectors.toCollection(TreeSet::new));
        if (clusters.size() > 1) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--etcd-servers",
                    "names members of several clusters, whose IDs are " + String.join(" and ", clusters),
                    "members of one cluster",
                    "ask one after the other: each names its cluster in -o json");
        }
    }

    private static Hash hashAt(long revision, EtcdConnection etcd) throws IOException {
        KeySpace space = etcd.keySpaceAt(revision, HASH_PATIENCE);
        return new Hash(revision, space.compacted(), space.hash());
    }

    /** By the IDs of members; all at once, as a log that was looked at earlier would look as if it lagged. */
    private <T> SortedMap<String, Evidence<T>> askEach(
            List<EtcdMember> members, List<Answer> answers, Question<T> question) {
        Map<String, Endpoint> named = new HashMap<>();
        answers.forEach(answer -> named.put(answer.status().memberId(), answer.server()));
        SortedMap<String, Evidence<T>> told = new TreeMap<>();
        atOnce(
                        members,
                        member -> Optional.ofNullable(named.get(member.id()))
                                .map(server -> ask(server, question).evidence())
                                .orElseGet(() -> askWhereItListens(member, question)))
                .forEach((member, answer) -> told.put(member.id(), answer));
        return told;
    }

    /** Another member may have got its address. */
    private static Evidence<EtcdMemberStatus> itself(String id, EtcdMemberStatus status) {
        return status.memberId().equals(id)
                ? Evidence.known(status)
                : Evidence.unknown("member " + status.memberId() + " answers at its client URL");
    }

    private Evidence<List<Alarm>> alarms() {
        return Evidence.asking(() -> EtcdAlarms.raised(servers));
    }

    /** Where the member says that clients reach it, with the keys that we have for those that were named. */
    private <T> Evidence<T> askWhereItListens(EtcdMember member, Question<T> question) {
        Evidence<T> last = Evidence.unknown("it has never run");
        for (String url : member.clientUrls()) {
            last = servers.at(url).flatMap(server -> ask(server, question).evidence());
            if (last instanceof Known<T>) {
                return last;
            }
        }
        return last;
    }

    private static <T> Asked<T> ask(Endpoint server, Question<T> question) {
        try {
            return new Asked<>(Optional.of(question.ask(server)), Optional.empty());
        } catch (IOException e) {
            return new Asked<>(Optional.empty(), Optional.of(EtcdProblems.of(server, e)));
        }
    }

    private static <K, V> Map<K, V> atOnce(Collection<K> all, Function<K, V> question) {
        Map<K, CompletableFuture<V>> asked = new LinkedHashMap<>();
        Map<K, V> answers = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            all.forEach(one -> asked.put(one, CompletableFuture.supplyAsync(() -> question.apply(one), threads)));
            asked.forEach((one, answer) -> answers.put(one, answer.join()));
        }
        return answers;
    }
}
