package dev.ouroboros.change;

import dev.ouroboros.change.decide.CertificateFiles;
import dev.ouroboros.change.decide.CertificateFiles.Leaf;
import dev.ouroboros.change.decide.CertificateHolder;
import dev.ouroboros.change.decide.CertificateRenewalStep;
import dev.ouroboros.change.decide.CertificateRenewalStep.Action;
import dev.ouroboros.change.decide.CertificateRenewalStep.State;
import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.MountedFile;
import dev.ouroboros.model.manifest.SecretFiles;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.pki.LeafRenewal;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Has workloads show certificates that were issued again. What is next is {@link CertificateRenewalStep}'s. */
final class CertificateRenewalProcedure implements Procedure<State, List<CertificateHolder>, Action> {
    private final ControlPlaneObjects plane;
    private final CertificateSource source;
    private final LeafRenewal renewal;
    private final Choice choice;
    private final Optional<AssetCopy> assets;
    private final ProcedureListener listener;
    private final Patience patience;

    /**
     * Which certificates make a workload get others.
     *
     * @param isUrgent whether that waits for nothing, as whatever shows it does not come to rest
     */
    record Choice(Predicate<Leaf> isDue, Predicate<Leaf> isUrgent) {}

    /**
     * Nothing is asked yet.
     *
     * @param patience with an API server that does not answer for a moment
     */
    CertificateRenewalProcedure(
            ControlPlaneObjects plane,
            CertificateSource source,
            LeafRenewal renewal,
            Choice choice,
            Optional<AssetCopy> assets,
            ProcedureListener listener,
            Patience patience) {
        this.plane = plane;
        this.source = source;
        this.renewal = renewal;
        this.choice = choice;
        this.assets = assets;
        this.listener = listener;
        this.patience = patience;
    }

    @Override
    public List<CertificateHolder> look(State state) {
        return source.look();
    }

    @Override
    public NextStep<State, Action> decide(List<CertificateHolder> seen, State state, Instant now) {
        return CertificateRenewalStep.next(
                seen,
                state,
                holder -> holder.leaves().anyMatch(choice.isDue()),
                holder -> holder.leaves().anyMatch(choice.isUrgent()),
                now);
    }

    /** Somebody may have changed the workload since it was read: then it is read again. */
    @Override
    public State perform(Action action, State state) {
        return switch (action) {
            case Action.Renew(CertificateHolder holder) ->
                patience.asking(() -> renew(holder))
                        .map(former -> state.having(holder.component(), former))
                        .orElse(state);
            case Action.Replace(HeldRollout.Next next) -> {
                if (patience.asking(() -> plane.evict(next.pod())) instanceof Outcome.Written) {
                    listener.did(next.told());
                }
                yield state;
            }
            case Action.Retry(Json set) ->
                patience.asking(() -> plane.retry(set, patience.moment())) ? state.havingAsked() : state;
        };
    }

    /** @return the certificates that its template has no more; empty when it was not written */
    private Optional<Set<X509Certificate>> renew(CertificateHolder holder) {
        List<SecretFiles> prepared = source.prepared();
        Json workload = holder.workload();
        List<Credential> issued = new ArrayList<>();
        Set<X509Certificate> former = new HashSet<>();
        for (CertificateFiles files : holder.secrets()) {
            if (files.leaves().stream().noneMatch(choice.isDue())) {
                continue;
            }
            SecretFiles secret = holder.preparedOf(files, prepared)
                    .filter(made -> new CertificateFiles(made).leaves().stream().noneMatch(choice.isDue()))
                    .orElseGet(() -> files.with(renewed(files)));
            plane.create(secret);
            files.leaves().forEach(leaf -> former.add(leaf.certificate()));
            workload = MountedFile.withSecret(workload, files.secret().name(), secret.name());
            new CertificateFiles(secret).leaves().forEach(leaf -> issued.add(leaf.credential()));
        }
        issued.forEach(leaf -> former.remove(leaf.certificate()));
        assets.ifPresent(copy -> copy.renew(issued));
        boolean isWritten = holder.component() == Component.API_SERVER
                ? plane.retry(workload, patience.moment())
                : plane.replace((Json.Fields) workload);
        if (isWritten) {
            listener.did(holder.component().id() + " gets certificates that were issued again: "
                    + issued.stream()
                            .map(one ->
                                    one.certificate().getSubjectX500Principal().getName())
                            .distinct()
                            .collect(Collectors.joining(", ")));
        }
        return isWritten ? Optional.of(former) : Optional.empty();
    }

    /** All of a Secret that can be, so that they end together. A key that several have stays. */
    private Map<Leaf, Credential> renewed(CertificateFiles files) {
        Map<String, Long> users = files.leaves().stream()
                .collect(Collectors.groupingBy(
                        leaf -> leaf.file().equals(leaf.keyFile()) ? leaf.file() + leaf.certificate() : leaf.keyFile(),
                        Collectors.counting()));
        Map<Leaf, Credential> renewed = new LinkedHashMap<>();
        for (Leaf leaf : files.leaves()) {
            if (renewal.outlook(leaf.certificate()) instanceof LeafRenewal.Outlook.Renews) {
                boolean isShared = users.getOrDefault(leaf.keyFile(), 1L) > 1;
                Optional<Credential> fresh =
                        isShared ? renewal.prolonged(leaf.credential()) : renewal.renewed(leaf.credential());
                fresh.ifPresent(credential -> renewed.put(leaf, credential));
            }
        }
        return renewed;
    }
}
