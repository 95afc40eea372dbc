package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;

import dev.ouroboros.facts.LivingCluster;
import dev.ouroboros.facts.LivingCluster.FieldRule;
import dev.ouroboros.facts.LivingCluster.FlagRule;
import dev.ouroboros.facts.LivingCluster.Keeping;
import dev.ouroboros.facts.LivingCluster.Verdict;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.flags.CommandLine;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Located;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Changes of a document that a running cluster cannot take, by the field that somebody changed, and changes that nobody judges. A
 * value that the cluster has already, because it was changed there, is no change.
 */
final class LivingJudge {
    static final String CHECK = "living-cluster";

    private static final Pattern PORTS = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final String NOT_SET = "not set";

    private final ClusterSeen seen;
    private final Intent intent;
    private final LivingCluster rules;

    /** By place in the document: one field may set a flag of the API server and one of the controller manager. */
    private final Map<String, PlanFinding> refused = new LinkedHashMap<>();

    private final List<Unjudged> unjudged = new ArrayList<>();

    private LivingJudge(ClusterSeen seen, Intent intent, LivingCluster rules) {
        this.seen = seen;
        this.intent = intent;
        this.rules = rules;
    }

    /** @param unjudged what changes and is not judged */
    record Judgement(List<PlanFinding> findings, List<Unjudged> unjudged) {}

    static Judgement judge(ClusterSeen seen, Intent intent, LivingCluster rules) {
        LivingJudge judge = new LivingJudge(seen, intent, rules);
        if (intent.target() instanceof Evidence.Known) {
            judge.endpoint();
            rules.flags().forEach(judge::flag);
            Arrays.stream(Field.values()).forEach(judge::values);
            judge.addOns();
        } else {
            judge.unjudged.add(
                    new Unjudged("Cluster document", "all of it: the target's manifests are not known, see above"));
        }
        return new Judgement(List.copyOf(judge.refused.values()), List.copyOf(judge.unjudged));
    }

    private void endpoint() {
        DocumentChange document = intent.document();
        if (document.endpointBefore().isPresent() && !document.endpointBefore().equals(document.endpoint())) {
            refuse(
                    document.where(rules.endpoint().field()),
                    document.endpointBefore(),
                    document.endpoint(),
                    AssetLayout.ADMIN_KUBECONFIG,
                    rules.endpoint().why(),
                    rules.endpoint().instead());
        }
    }

    private void flag(FlagRule rule) {
        Optional<String> now = now(rule.component(), rule.flag()).or(rule::usual);
        Optional<String> target = changed(rule.component(), rule.flag());
        if (now.isEmpty() || target.isEmpty()) {
            return;
        }
        String wanted = target.get().isEmpty() ? rule.usual().orElse("") : target.get();
        String where = intent.document()
                .whereExtra(rule.component().field(), rule.flag())
                .or(() -> rule.field().map(intent.document()::where))
                .orElseGet(() -> extra(rule.component()) + "." + rule.flag());
        String shown = rule.component().id() + " --" + rule.flag();
        if (rule.keeping() == Keeping.UNJUDGED && !wanted.equals(now.get())) {
            unjudged.add(new Unjudged(where, shown + ": " + rule.why()));
        } else if (!keeps(rule.keeping(), now.get(), wanted)) {
            refuse(where, now, Optional.of(wanted), shown, rule.why(), rule.instead());
        }
    }

    private void refuse(
            String where, Optional<String> now, Optional<String> target, String shown, String why, String instead) {
        refused.putIfAbsent(
                where,
                blocking(
                        CHECK,
                        where,
                        "becomes " + said(target) + "; the cluster lives with " + said(now) + " (" + shown + ")",
                        why,
                        instead));
    }

    private static String said(Optional<String> value) {
        return value.filter(text -> !text.isEmpty()).orElse(NOT_SET);
    }

    /** A flag's new value if it is to change; empty text if the flag is to be removed. */
    private Optional<String> changed(Component component, String flag) {
        Optional<CommandLine> base = line(intent.base(), component);
        Optional<CommandLine> target = line(intent.target(), component);
        Optional<CommandLine> live = line(seen.workloads(), component);
        if (base.isEmpty() || target.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> next = target.get().value(flag);
        boolean changes = !next.equals(base.get().value(flag))
                && live.filter(line -> line.value(flag).equals(next)).isEmpty();
        return changes ? Optional.of(next.orElse("")) : Optional.empty();
    }

    private Optional<String> now(Component component, String flag) {
        return line(seen.workloads(), component)
                .or(() -> line(intent.base(), component))
                .flatMap(line -> line.value(flag));
    }

    private static Optional<CommandLine> line(Evidence<List<Manifest>> manifests, Component component) {
        return manifests.orElse(List.of()).stream()
                .filter(manifest ->
                        manifest.kind().equals("DaemonSet") || manifest.kind().equals("Deployment"))
                .filter(manifest -> manifest.container(component).isPresent())
                .map(manifest -> manifest.commandLine(component))
                .findFirst();
    }

    private static boolean keeps(Keeping keeping, String now, String target) {
        return switch (keeping) {
            case SAME -> now.equals(target);
            case RANGE -> hasIn(target, now);
            case LIST -> Set.of(target.split(",", -1)).containsAll(List.of(now.split(",", -1)));
            case UNJUDGED -> true;
        };
    }

    private static boolean hasIn(String outer, String inner) {
        Matcher wide = PORTS.matcher(outer);
        Matcher narrow = PORTS.matcher(inner);
        return outer.equals(inner)
                || (wide.matches()
                        && narrow.matches()
                        && Integer.parseInt(wide.group(1)) <= Integer.parseInt(narrow.group(1))
                        && Integer.parseInt(wide.group(2)) >= Integer.parseInt(narrow.group(2)));
    }

    private static String extra(Component component) {
        return "spec.extraArgs." + component.field();
    }

    /** What the document sets and no rule judges. */
    private void values(Field field) {
        Optional<FieldRule> rule = rules.fields().stream()
                .filter(known -> known.path().equals(field.path()) && known.verdict() == Verdict.UNJUDGED)
                .findFirst();
        if (rule.isEmpty()) {
            return;
        }
        component(field)
                .ifPresent(component -> intent.document().settings().map(field).forEach((flag, value) -> {
                    if (!hasRule(component, flag) && changed(component, flag).isPresent()) {
                        add(value, "--" + flag + " " + value.value(), rule.get());
                    }
                }));
        intent.document()
                .settings()
                .text(field)
                .filter(value -> !shows(intent.base(), value.value()) && shows(intent.target(), value.value()))
                .ifPresent(value -> add(value, value.value(), rule.get()));
    }

    private void add(Located value, String shown, FieldRule rule) {
        unjudged.add(new Unjudged(value.where(), shown + ": " + rule.what()));
    }

    /** Component of a field of flags. */
    private static Optional<Component> component(Field field) {
        return field == Field.KEEPER_EXTRA_ARGS
                ? Optional.of(Component.KEEPER)
                : Component.KUBERNETES.stream()
                        .filter(component -> extra(component).equals(field.path()))
                        .findFirst();
    }

    private boolean hasRule(Component component, String flag) {
        return rules.flags().stream().anyMatch(rule -> rule.flag().equals(flag) && rule.component() == component);
    }

    /** Whether the manifests have a value, such as an image or a socket, at the end of a text. */
    private static boolean shows(Evidence<List<Manifest>> manifests, String value) {
        return manifests.orElse(List.of()).stream()
                .anyMatch(manifest ->
                        new String(JsonText.write(manifest.object()), StandardCharsets.UTF_8).contains(value + '"'));
    }

    private void addOns() {
        Map<ObjectName, Manifest> before = new LinkedHashMap<>();
        intent.base().orElse(List.of()).forEach(manifest -> before.put(ObjectName.of(manifest.object()), manifest));
        intent.target().orElse(List.of()).stream()
                .filter(manifest -> manifest.where().startsWith(AssetLayout.ADD_ON_PREFIX))
                .filter(manifest -> Optional.ofNullable(before.get(ObjectName.of(manifest.object())))
                        .filter(old -> old.object().equals(manifest.object()))
                        .isEmpty())
                .forEach(manifest -> unjudged.add(
                        new Unjudged(manifest.where(), "what " + manifest.described() + " does when it is changed")));
    }
}
