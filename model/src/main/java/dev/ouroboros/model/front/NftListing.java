package dev.ouroboros.model.front;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What {@code nft -j list} prints (libnftables-json(5)). */
public final class NftListing {
    private final List<Json> objects;

    private NftListing(List<Json> objects) {
        this.objects = objects;
    }

    /** @throws IllegalArgumentException when this is no such list */
    public static NftListing parse(String text) {
        try {
            Json all = JsonText.read(text).at("nftables");
            if (!(all instanceof Json.Items)) {
                throw new IllegalArgumentException("no list of nftables objects");
            }
            return new NftListing(all.items());
        } catch (JsonText.MalformedJson e) {
            throw new IllegalArgumentException("not JSON: " + e.getMessage(), e);
        }
    }

    /** Whether it names a table. */
    public boolean names(String family, String table) {
        return of("table")
                .anyMatch(found -> found.at("family").text().equals(Optional.of(family))
                        && found.at("name").text().equals(Optional.of(table)));
    }

    /** The objects of a kind: {@code table}, {@code chain}, {@code rule}, {@code set}, {@code map}. */
    Stream<Json> of(String kind) {
        return objects.stream()
                .filter(object -> object.fields().containsKey(kind))
                .map(object -> object.at(kind));
    }

    boolean hasChain(String name) {
        return of("chain").anyMatch(chain -> text(chain, "name").equals(name));
    }

    /** The comments of a chain's rules, in order; empty texts of those without. */
    List<String> comments(String chain) {
        return of("rule")
                .filter(rule -> text(rule, "chain").equals(chain))
                .map(rule -> rule.at("comment").text().orElse(""))
                .toList();
    }

    /** @throws IllegalArgumentException when there is no such field */
    static String text(Json object, String field) {
        return object.at(field).text().orElseThrow(() -> new IllegalArgumentException("no " + field + " in " + object));
    }
}
