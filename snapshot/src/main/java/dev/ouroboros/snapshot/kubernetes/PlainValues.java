package dev.ouroboros.snapshot.kubernetes;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.snapshot.kubernetes.ObjectTypes.Kind;
import dev.ouroboros.snapshot.kubernetes.ObjectTypes.Kind.Plain;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** Values whose JSON form is not that of their message: the types with a JSON encoding of their own in Kubernetes. */
final class PlainValues {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MICROTIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3600;

    /** Of one object. As values in memory, small messages take a hundred times the room that they take when stored. */
    static final int MOST_VALUES = 500_000;

    private PlainValues() {}

    static Json read(Plain kind, WireReader in) throws UnreadableObjectException {
        return switch (kind) {
            case STRING -> Json.text(in.text());
            case INT -> Json.number(in.number());
            case BOOL -> Json.bool(in.number() != 0);
            case DOUBLE -> real(in.real());
            case BYTES -> Json.text(base64(in.delimited()));
            case TIME -> time(in.delimited(), TIME);
            case MICROTIME -> time(in.delimited(), MICROTIME);
            case DURATION -> Json.text(duration(onlyNumber(in.delimited())));
            case QUANTITY -> Json.text(onlyText(in.delimited()));
            case INTORSTRING -> intOrString(in.delimited());
            case RAW -> raw(in.delimited());
            case STRINGS -> strings(in.delimited());
        };
    }

    /** What a map's entry has that states no value. */
    static Json empty(Kind kind) {
        return switch (kind) {
            case Plain plain ->
                switch (plain) {
                    case STRING, BYTES, QUANTITY -> Json.text("");
                    case INT, DOUBLE, INTORSTRING -> Json.number(0);
                    case BOOL -> Json.bool(false);
                    case TIME, MICROTIME, DURATION, RAW -> Json.absent();
                    case STRINGS -> new Json.Items(List.of());
                };
            case Kind.Message message -> Json.object();
            case Kind.Repeated repeated -> new Json.Items(List.of());
            case Kind.Mapped mapped -> Json.object();
        };
    }

    static List<Json> packed(ByteBuffer bytes) throws UnreadableObjectException {
        List<Json> numbers = new ArrayList<>();
        int at = bytes.position();
        while (at < bytes.limit()) {
            long value = 0;
            int shift = 0;
            byte next;
            do {
                if (at == bytes.limit() || shift > 63) {
                    throw new UnreadableObjectException("has a list of numbers that ends in the middle of one");
                }
                next = bytes.get(at++);
                value |= (long) (next & 0x7f) << shift;
                shift += 7;
            } while (next < 0);
            numbers.add(Json.number(value));
        }
        return numbers;
    }

    private static Json real(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Json.text(Double.toString(value));
        }
        BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        return new Json.Numeric(
                decimal.scale() <= 0 && decimal.precision() - decimal.scale() <= 21
                        ? decimal.toBigInteger().toString()
                        : decimal.toString());
    }

    private static String base64(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return Base64.getEncoder().encodeToString(copy);
    }

    private static Json time(ByteBuffer message, DateTimeFormatter format) throws UnreadableObjectException {
        long seconds = 0;
        long nanos = 0;
        WireReader in = new WireReader(message);
        if (!message.hasRemaining()) {
            return Json.absent();
        }
        while (in.next()) {
            switch (in.field()) {
                case 1 -> seconds = in.number();
                case 2 -> nanos = in.number();
                default -> in.skip();
            }
        }
        try {
            return Json.text(format.format(Instant.ofEpochSecond(seconds, nanos)));
        } catch (DateTimeException | ArithmeticException e) {
            throw new UnreadableObjectException("has a time of " + seconds + " seconds since 1970");
        }
    }

    private static Json intOrString(ByteBuffer message) throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        long type = 0;
        long number = 0;
        String text = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> type = in.number();
                case 2 -> number = in.number();
                case 3 -> text = in.text();
                default -> in.skip();
            }
        }
        return type == 0 ? Json.number(number) : Json.text(text);
    }

    private static Json raw(ByteBuffer message) throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        Json value = Json.absent();
        while (in.next()) {
            if (in.field() == 1) {
                ByteBuffer bytes = in.delimited();
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                if (copy.length > 0) {
                    value = json(copy);
                }
            } else {
                in.skip();
            }
        }
        return value;
    }

    static Json json(byte[] text) throws UnreadableObjectException {
        if (separators(text) > MOST_VALUES) {
            throw new UnreadableObjectException("has more than " + MOST_VALUES + " values");
        }
        try {
            return JsonText.read(text);
        } catch (JsonText.MalformedJson e) {
            throw new UnreadableObjectException("has JSON that cannot be read: " + e.getMessage());
        }
    }

    /** Not less than the number of values. */
    private static int separators(byte[] text) {
        int separators = 0;
        boolean quoted = false;
        for (int index = 0; index < text.length; index++) {
            switch (text[index]) {
                case '"' -> quoted = !quoted;
                case '\\' -> index++;
                case ',', '[', '{' -> separators += quoted ? 0 : 1;
                default -> {}
            }
        }
        return separators;
    }

    private static Json strings(ByteBuffer message) throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        List<Json> items = new ArrayList<>();
        while (in.next()) {
            if (in.field() == 1) {
                items.add(Json.text(in.text()));
            } else {
                in.skip();
            }
        }
        return new Json.Items(items);
    }

    private static String onlyText(ByteBuffer message) throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        String text = "0";
        while (in.next()) {
            if (in.field() == 1) {
                text = in.text();
            } else {
                in.skip();
            }
        }
        return text;
    }

    private static long onlyNumber(ByteBuffer message) throws UnreadableObjectException {
        WireReader in = new WireReader(message);
        long number = 0;
        while (in.next()) {
            if (in.field() == 1) {
                number = in.number();
            } else {
                in.skip();
            }
        }
        return number;
    }

    /** As Go writes a duration: {@code 1h30m0s}, {@code 1.5s}, {@code 20ms}. */
    static String duration(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        BigDecimal size = BigDecimal.valueOf(nanos).abs();
        String sign = nanos < 0 ? "-" : "";
        if (size.compareTo(BigDecimal.valueOf(NANOS_PER_SECOND)) < 0) {
            long small = Math.abs(nanos);
            if (small < NANOS_PER_MICRO) {
                return sign + small + "ns";
            }
            return small < NANOS_PER_MILLI
                    ? sign + plain(size, NANOS_PER_MICRO) + "\u00b5s"
                    : sign + plain(size, NANOS_PER_MILLI) + "ms";
        }
        long whole = size.longValue() / NANOS_PER_SECOND;
        BigDecimal rest = size.subtract(BigDecimal.valueOf(whole / SECONDS_PER_MINUTE * SECONDS_PER_MINUTE)
                .multiply(BigDecimal.valueOf(NANOS_PER_SECOND)));
        long hours = whole / SECONDS_PER_HOUR;
        long minutes = whole % SECONDS_PER_HOUR / SECONDS_PER_MINUTE;
        return sign + (hours > 0 ? hours + "h" : "") + (hours > 0 || minutes > 0 ? minutes + "m" : "")
                + plain(rest, NANOS_PER_SECOND) + "s";
    }

    private static String plain(BigDecimal nanos, long unit) {
        return nanos.divide(BigDecimal.valueOf(unit)).stripTrailingZeros().toPlainString();
    }
}
