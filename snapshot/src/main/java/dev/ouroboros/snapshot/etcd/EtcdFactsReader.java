package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.Bucket;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.bolt.Entry;
import dev.ouroboros.snapshot.bolt.EntryVisitor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads the small buckets. */
final class EtcdFactsReader {
    private static final int LONGEST_VALUE = 64 << 10;
    /** Of one bucket; etcd has a handful, but never forgets a member that it has removed. What is beyond is not told, and no damage. */
    private static final int MOST_ENTRIES = 256;

    private static final int ENABLED = 1;

    private final BoltFile file;
    private final Map<String, Map<String, byte[]>> values = new LinkedHashMap<>();

    private long leases;
    private final List<String> alarms = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final List<String> removed = new ArrayList<>();

    EtcdFactsReader(BoltFile file) {
        this.file = file;
    }

    EtcdFacts read(List<Bucket> buckets) {
        for (Bucket bucket : buckets) {
            switch (bucket.name()) {
                case "meta", "cluster", "auth" -> {
                    Map<String, byte[]> entries = new LinkedHashMap<>();
                    values.put(bucket.name(), entries);
                    few(bucket, entry -> entries.put(text(entry.key()), small(entry)));
                }
                case "members" -> few(bucket, entry -> members.add(member(entry)));
                case "members_removed" -> few(bucket, entry -> removed.add(text(entry.key())));
                case "alarm" -> few(bucket, entry -> alarms.add(alarm(entry)));
                case "lease" -> file.walk(bucket, entry -> leases++);
                default -> {}
            }
        }
        return new EtcdFacts(
                value("cluster", "clusterVersion").map(EtcdFactsReader::text),
                value("meta", "storageVersion").map(EtcdFactsReader::text),
                number("meta", "consistent_index"),
                number("meta", "term"),
                revision("finishedCompactRev"),
                revision("scheduledCompactRev"),
                members,
                removed,
                clusterId(),
                alarms,
                leases,
                value("auth", "authEnabled")
                        .filter(flag -> flag.length == 1 && flag[0] == ENABLED)
                        .isPresent());
    }

    private void few(Bucket bucket, EntryVisitor visitor) {
        int[] entries = {0};
        file.walk(bucket, entry -> {
            if (entries[0]++ < MOST_ENTRIES) {
                visitor.visit(entry);
            }
        });
    }

    private Optional<byte[]> value(String bucket, String key) {
        return Optional.ofNullable(values.getOrDefault(bucket, Map.of()).get(key));
    }

    private OptionalLong number(String bucket, String key) {
        return value(bucket, key)
                .filter(bytes -> bytes.length == Long.BYTES)
                .map(bytes -> OptionalLong.of(ByteBuffer.wrap(bytes).getLong()))
                .orElse(OptionalLong.empty());
    }

    private OptionalLong revision(String key) {
        return value("meta", key)
                .flatMap(EtcdRevision::read)
                .map(revision -> OptionalLong.of(revision.main()))
                .orElse(OptionalLong.empty());
    }

    private byte[] small(Entry entry) throws DamageException {
        if (entry.valueLength() > LONGEST_VALUE) {
            throw new DamageException(entry.valueOffset(), "has " + entry.valueLength() + " bytes");
        }
        return file.bytes(entry.valueOffset(), (int) entry.valueLength());
    }

    private Member member(Entry entry) throws DamageException {
        try {
            Json member = JsonText.read(small(entry));
            return new Member(
                    text(entry.key()),
                    member.at("name").text().orElse(""),
                    texts(member.at("peerURLs")),
                    texts(member.at("clientURLs")),
                    member.at("isLearner").isTrue());
        } catch (JsonText.MalformedJson e) {
            throw new DamageException(entry.valueOffset(), "is no member: " + e.getMessage());
        }
    }

    private static List<String> texts(Json array) {
        return array.items().stream().flatMap(item -> item.text().stream()).toList();
    }

    /** {@code etcdserverpb.AlarmMember}, which is the key; its value is empty. */
    private String alarm(Entry entry) throws DamageException {
        ValueCursor in = new ValueCursor(file, entry.valueOffset() - entry.key().length, entry.key().length);
        String id = "";
        long alarm = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> id = Long.toHexString(in.number());
                case 2 -> alarm = in.number();
                default -> in.skip();
            }
        }
        String name = alarm == 1 ? "NOSPACE" : alarm == 2 ? "CORRUPT" : "alarm " + alarm;
        return name + " on member " + id;
    }

    private Optional<String> clusterId() {
        if (members.isEmpty() || !removed.isEmpty()) {
            return Optional.empty();
        }
        try {
            long[] ids = members.stream()
                    .flatMap(member -> member.id().matches("[0-9a-f]{1,16}")
                            ? Stream.of(Long.parseUnsignedLong(member.id(), 16))
                            : Stream.empty())
                    .sorted(Long::compareUnsigned)
                    .mapToLong(Long::longValue)
                    .toArray();
            ByteBuffer all = ByteBuffer.allocate(ids.length * Long.BYTES);
            for (long id : ids) {
                all.putLong(id);
            }
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(all.array());
            return Optional.of(Long.toHexString(ByteBuffer.wrap(digest).getLong()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
