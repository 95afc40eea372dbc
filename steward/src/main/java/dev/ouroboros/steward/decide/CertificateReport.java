package dev.ouroboros.steward.decide;

import dev.ouroboros.model.json.Json;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * How the certificates of a cluster stand, as the status of {@code ControlPlane/cluster} has it.
 *
 * @param workloads those that workloads show, by the steward that leads; empty where none has said anything
 * @param members those of members of etcd, by their nodes
 */
public record CertificateReport(Optional<Standing> workloads, Map<String, Standing> members) {
    public static final CertificateReport NONE = new CertificateReport(Optional.empty(), Map.of());
    private static final String FAILURE = "failure";
    private static final String NODE = "node";

    public CertificateReport {
        members = Map.copyOf(members);
    }

    /**
     * How some certificates stand.
     *
     * @param first the certificate that ends first; empty text where there is none
     * @param expires when it ends
     * @param renews when the first is to be issued again; empty where none can be
     * @param renewed when any was last issued again; empty where that is not known
     * @param isRenewing whether some are being issued again
     * @param failure why the last attempt failed; empty text where it did not
     */
    public record Standing(
            String first,
            Optional<Instant> expires,
            Optional<Instant> renews,
            Optional<Instant> renewed,
            boolean isRenewing,
            String failure) {
        static final Standing UNKNOWN =
                new Standing("", Optional.empty(), Optional.empty(), Optional.empty(), false, "");

        public static Standing unknown() {
            return UNKNOWN;
        }

        /** This standing, with another first end. */
        public Standing showing(String what, Optional<Instant> end, Optional<Instant> next) {
            return new Standing(what, end, next, renewed, isRenewing, failure);
        }

        /** This standing, while certificates are being issued again. */
        public Standing renewing() {
            return new Standing(first, expires, renews, renewed, true, failure);
        }

        /** This standing, when no certificate is being issued again, however that ended. */
        public Standing stopped() {
            return new Standing(first, expires, renews, renewed, false, failure);
        }

        /** This standing, after certificates were issued again. */
        public Standing renewedAt(Instant moment) {
            return new Standing(first, expires, renews, Optional.of(moment), false, "");
        }

        /** This standing, after certificates could not be issued again. */
        public Standing failing(String why) {
            return new Standing(first, expires, renews, renewed, false, why);
        }

        /** This standing, where no certificate is due. */
        public Standing resting() {
            return new Standing(first, expires, renews, renewed, false, "");
        }

        private Json.Fields json() {
            Json.Fields fields = Json.object();
            if (!first.isEmpty()) {
                fields = fields.with("first", Json.text(first));
            }
            fields = with(fields, "expires", expires);
            fields = with(fields, "renews", renews);
            fields = with(fields, "renewed", renewed);
            if (isRenewing) {
                fields = fields.with("renewing", Json.bool(true));
            }
            // API servers of 1.20 take an empty text for null.
            return failure.isEmpty() ? fields : fields.with(FAILURE, Json.text(failure));
        }

        private static Json.Fields with(Json.Fields fields, String name, Optional<Instant> moment) {
            return moment.map(at -> fields.with(name, Json.text(at.toString()))).orElse(fields);
        }

        private static Standing of(Json said) {
            return new Standing(
                    said.at("first").text().orElse(""),
                    moment(said.at("expires")),
                    moment(said.at("renews")),
                    moment(said.at("renewed")),
                    said.at("renewing").isTrue(),
                    said.at(FAILURE).text().orElse(""));
        }

        private static Optional<Instant> moment(Json value) {
            try {
                return value.text().map(Instant::parse);
            } catch (DateTimeParseException e) {
                // Somebody else wrote it, so that it is written anew.
                return Optional.empty();
            }
        }
    }

    /** What the object's status says. */
    public static CertificateReport of(ControlPlaneObject object) {
        Json said = object.status().at("certificates");
        Map<String, Standing> members = new TreeMap<>();
        said.at("members")
                .items()
                .forEach(entry -> entry.at(NODE).text().ifPresent(node -> members.put(node, Standing.of(entry))));
        return new CertificateReport(
                Optional.of(said.at("workloads"))
                        .filter(known -> !known.isNull())
                        .map(Standing::of),
                members);
    }

    /**
     * This report, with what one steward knows.
     *
     * @param node of that steward
     * @param nodes of the control plane; what nodes reported that are gone is dropped
     */
    CertificateReport with(CertificateReport own, String node, Set<String> nodes) {
        Map<String, Standing> all = new TreeMap<>(members);
        all.remove(node);
        all.putAll(own.members());
        all.keySet().retainAll(nodes);
        return new CertificateReport(own.workloads().or(this::workloads), all);
    }

    Json.Fields json() {
        Json.Fields fields = Json.object();
        if (workloads.isPresent()) {
            fields = fields.with("workloads", workloads.get().json());
        }
        if (members.isEmpty()) {
            return fields;
        }
        return fields.with(
                "members",
                Json.items(new TreeMap<>(members)
                        .entrySet().stream()
                                .map(entry -> entry.getValue().json().with(NODE, Json.text(entry.getKey())))));
    }

    /** What could not be issued again, and why; empty where everything could. */
    Optional<String> failure() {
        List<String> failures = new ArrayList<>();
        workloads.map(Standing::failure).filter(why -> !why.isEmpty()).ifPresent(failures::add);
        new TreeMap<>(members)
                .forEach((node, standing) -> Optional.of(standing.failure())
                        .filter(why -> !why.isEmpty())
                        .ifPresent(why -> failures.add("etcd on " + node + ": " + why)));
        return failures.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", failures));
    }

    boolean isRenewing() {
        return workloads.filter(Standing::isRenewing).isPresent();
    }
}
