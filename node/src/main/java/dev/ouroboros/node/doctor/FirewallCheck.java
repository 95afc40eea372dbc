package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.front.FrontTable;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules of this machine that can stand in the way of the front: one that hides packets from address translation (NOTRACK), and a policy that drops
 * what no rule allows, such as connections to an understudy's port. There are too many ways to write rules for this to be sure; {@link PathCheck}
 * proves the path by dialling it.
 */
final class FirewallCheck implements Check {
    private static final String CHECK = "firewall";

    private final Processes processes;

    FirewallCheck(Processes processes) {
        this.processes = processes;
    }

    @Override
    public List<Finding> run() {
        String listing = processes
                .run(Command.of("nft", "-j", "list", "ruleset").withTimeout(Duration.ofSeconds(10)))
                .orThrow();
        try {
            return judge(JsonText.read(listing));
        } catch (JsonText.MalformedJson e) {
            return List.of(Finding.unknown(CHECK, "nft's listing cannot be read: " + e.getMessage()));
        }
    }

    static List<Finding> judge(Json ruleset) {
        List<Finding> findings = new ArrayList<>();
        for (Json entry : ruleset.at("nftables").items()) {
            Json chain = entry.at("chain");
            boolean incoming = chain.at("hook").text().filter("input"::equals).isPresent();
            boolean drops = chain.at("policy").text().filter("drop"::equals).isPresent();
            if (incoming && drops) {
                findings.add(Ailment.FIREWALL_DROPS.seen(
                        "chain " + nameOf(chain) + " drops what none of its rules accepts"));
            }
            Json rule = entry.at("rule");
            if (!isOurs(rule)
                    && new String(JsonText.write(rule), java.nio.charset.StandardCharsets.UTF_8)
                            .contains("\"notrack\"")) {
                findings.add(Ailment.FIREWALL_HIDES.seen("a rule in chain " + nameOf(rule) + " says notrack"));
            }
        }
        return findings.isEmpty()
                ? List.of(Finding.ok(CHECK, "no policy drops incoming packets, no rule says notrack"))
                : List.copyOf(findings);
    }

    private static boolean isOurs(Json rule) {
        return rule.at("table").text().filter(FrontTable.NAME::equals).isPresent();
    }

    private static String nameOf(Json chainOrRule) {
        String name = chainOrRule
                .at("name")
                .text()
                .or(() -> chainOrRule.at("chain").text())
                .orElse("?");
        return chainOrRule.at("family").text().orElse("?") + " "
                + chainOrRule.at("table").text().orElse("?") + " " + name;
    }
}
