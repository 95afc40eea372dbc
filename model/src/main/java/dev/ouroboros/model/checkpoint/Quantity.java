package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.json.Json;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of a resource, as in {@code 100m}, {@code 1.5Gi} or {@code 1e3} (apimachinery, pkg/api/resource/quantity.go). */
record Quantity(BigDecimal amount) implements Comparable<Quantity> {
    private static final Pattern SYNTAX = Pattern.compile(
            "([+-]?(?:\\d+\\.?\\d*|\\.\\d+))(?:([eE][+-]?\\d{1,3})|(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?");

    private static final Map<String, BigDecimal> SUFFIXES = Map.ofEntries(
            decimal("n", -9),
            decimal("u", -6),
            decimal("m", -3),
            decimal("k", 3),
            decimal("M", 6),
            decimal("G", 9),
            decimal("T", 12),
            decimal("P", 15),
            decimal("E", 18),
            binary("Ki", 1),
            binary("Mi", 2),
            binary("Gi", 3),
            binary("Ti", 4),
            binary("Pi", 5),
            binary("Ei", 6));

    static Optional<Quantity> of(Json value) {
        String text = value instanceof Json.Numeric(String literal)
                ? literal
                : value.text().orElse("");
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String exponent = Optional.ofNullable(matcher.group(2)).orElse("");
        BigDecimal suffix =
                Optional.ofNullable(matcher.group(3)).map(SUFFIXES::get).orElse(BigDecimal.ONE);
        return Optional.of(new Quantity(new BigDecimal(matcher.group(1) + exponent).multiply(suffix)));
    }

    @Override
    public int compareTo(Quantity other) {
        return amount.compareTo(other.amount);
    }

    private static Map.Entry<String, BigDecimal> decimal(String suffix, int exponent) {
        return Map.entry(suffix, BigDecimal.ONE.scaleByPowerOfTen(exponent));
    }

    private static Map.Entry<String, BigDecimal> binary(String suffix, int exponent) {
        return Map.entry(suffix, BigDecimal.valueOf(1024).pow(exponent));
    }
}
