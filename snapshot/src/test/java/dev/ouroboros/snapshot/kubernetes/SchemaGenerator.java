package dev.ouroboros.snapshot.kubernetes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes {@code types.txt}, which {@link ObjectTypes} reads, from the published API types of Kubernetes:
 *
 * <pre>
 * SchemaGenerator types.txt DIR-OF-THE-OLDEST-VERSION ... DIR-OF-THE-NEWEST
 * </pre>
 *
 * A directory is named as its version and holds the modules {@code api}, {@code apimachinery}, {@code apiextensions-apiserver} and
 * {@code kube-aggregator} of {@code k8s.io}. The Go types are read, not the {@code .proto} files made from them: only they say
 * which fields are pointers, what JSON calls them, and what it leaves out. A field number is never used again for
 * another thing, so the versions are one schema; a contradiction ends the run.
 */
final class SchemaGenerator {
    private static final Pattern TYPE = Pattern.compile("^type (\\w+) (?:= )?(.*)$");
    private static final Pattern FIELD = Pattern.compile("^\\s+(?:(\\w+)\\s+)?([*\\[\\]\\w.]+)\\s+`([^`]*)`.*$");
    private static final Pattern IMPORT = Pattern.compile("^\\s*(?:import )?(?:(\\w+) )?\"(k8s\\.io/[^\"]+)\"$");
    private static final Pattern GROUP = Pattern.compile("GroupName\\s*=\\s*\"([^\"]*)\"");
    private static final Pattern JSON_TAG = Pattern.compile("json:\"([^\"]*)\"");
    private static final Pattern PROTOBUF_TAG = Pattern.compile("protobuf:\"(\\w+),(\\d+),(\\w+)(?:,name=(\\w+))?");
    /** Objects of served versions; lists, reviews and options are never stored. */
    private static final Pattern STORED = Pattern.compile(
            "(?!.*/(testapigroup|imagepolicy|admission|meta|apidiscovery)/).*/v\\d+\\w*\\.\\w+(?<!List|Review|Options)");

    private static final List<String> MODULES =
            List.of("api", "apimachinery", "apiextensions-apiserver", "kube-aggregator");

    /** What the decoder knows by itself. */
    private static final Map<String, String> KNOWN = Map.ofEntries(
            Map.entry("k8s.io/apimachinery/pkg/apis/meta/v1.Time", "time"),
            Map.entry("k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime", "microtime"),
            Map.entry("k8s.io/apimachinery/pkg/apis/meta/v1.Duration", "duration"),
            Map.entry("k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1", "raw"),
            Map.entry("k8s.io/apimachinery/pkg/runtime.RawExtension", "raw"),
            Map.entry("k8s.io/apimachinery/pkg/api/resource.Quantity", "quantity"),
            Map.entry("k8s.io/apimachinery/pkg/util/intstr.IntOrString", "intorstring"),
            Map.entry("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON", "raw"),
            Map.entry("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON", "raw"));

    private record GoField(int number, String flags, String json, String type) {}

    /** @param underlying of a type that is no struct */
    private record GoType(
            String packagePath, boolean nullable, Optional<String> underlying, List<GoField> fields, boolean object) {}

    private record Field(String flags, String json, String type) {
        /** A message may have become a wider one; a plain type stays what it is. */
        boolean isLaterFormOf(Field old) {
            return json.equals(old.json)
                    && (type.equals(old.type)
                            || type.replaceFirst("@.*", "@").equals(old.type.replaceFirst("@.*", "@")));
        }
    }

    private final Map<String, GoType> types = new TreeMap<>();
    private final Set<String> added = new TreeSet<>();
    private final Map<String, String> groups = new TreeMap<>();
    private final Map<String, Map<Integer, Field>> schema = new TreeMap<>();
    private final Map<String, String> objects = new TreeMap<>();

    public static void main(String[] arguments) throws IOException {
        SchemaGenerator generator = new SchemaGenerator();
        List<String> versions = new ArrayList<>();
        for (String directory : List.of(arguments).subList(1, arguments.length)) {
            generator.read(Path.of(directory));
            versions.add(Path.of(directory).getFileName().toString());
        }
        Files.writeString(Path.of(arguments[0]), generator.text(versions));
    }

    private void read(Path root) throws IOException {
        types.clear();
        added.clear();
        for (String module : MODULES) {
            Path top = root.resolve(module);
            try (Stream<Path> files = Files.walk(top)) {
                files.filter(file -> file.toString().endsWith(".go")).sorted().forEach(file -> {
                    String inside = top.relativize(file.getParent()).toString();
                    parse(file, "k8s.io/" + module + (inside.isEmpty() ? "" : "/" + inside));
                });
            }
        }
        for (Map.Entry<String, GoType> type : types.entrySet()) {
            String path = type.getValue().packagePath();
            if (type.getValue().object()
                    && groups.containsKey(path)
                    && STORED.matcher(type.getKey()).matches()) {
                String group = groups.get(path);
                String version = path.substring(path.lastIndexOf('/') + 1);
                objects.put(shortName(type.getKey()), group.isEmpty() ? version : group + "/" + version);
                add(type.getKey());
            }
        }
    }

    private void add(String name) {
        if (!added.add(name)) {
            return;
        }
        String key = shortName(name);
        GoType type =
                Optional.ofNullable(types.get(name)).orElseThrow(() -> new IllegalStateException("no type " + name));
        if (type.fields().isEmpty() && type.underlying().isPresent()) {
            throw new IllegalStateException(name + " is no struct");
        }
        Map<Integer, Field> fields = new LinkedHashMap<>();
        Optional<Map<Integer, Field>> before = Optional.ofNullable(schema.put(key, fields));
        for (GoField field : type.fields()) {
            fields.put(field.number(), new Field(field.flags(), field.json(), wireType(field.type())));
        }
        before.ifPresent(old -> old.forEach((number, field) -> {
            Field same = fields.putIfAbsent(number, field);
            if (same != null && !same.isLaterFormOf(field)) {
                throw new IllegalStateException(key + " " + number + " is " + field + " and " + same);
            }
        }));
        type.fields().forEach(field -> reached(field.type()).ifPresent(this::add));
    }

    /** The struct that a field's type leads to, if any. */
    private Optional<String> reached(String type) {
        String wire = wireType(type);
        String element = wire.replaceFirst("^(\\[\\]|map:)+", "");
        return element.startsWith("@")
                ? types.keySet().stream()
                        .filter(name -> ("@" + shortName(name)).equals(element))
                        .findFirst()
                : Optional.empty();
    }

    private String wireType(String type) {
        if (type.startsWith("[]byte")) {
            return "bytes";
        }
        if (type.startsWith("[]")) {
            return "[]" + wireType(type.substring(2).replaceFirst("^\\*", ""));
        }
        if (type.startsWith("map[")) {
            return "map:" + wireType(type.substring(type.indexOf(']') + 1));
        }
        return switch (type) {
            case "string", "bool" -> type;
            case "int", "int32", "int64", "uint32", "uint64", "uint8", "byte" -> "int";
            case "float64", "float32" -> "double";
            default -> named(type);
        };
    }

    private String named(String type) {
        if (KNOWN.containsKey(type)) {
            return KNOWN.get(type);
        }
        GoType target =
                Optional.ofNullable(types.get(type)).orElseThrow(() -> new IllegalStateException("no type " + type));
        if (target.nullable()) {
            return "strings";
        }
        return target.underlying().map(this::wireType).orElse("@" + shortName(type));
    }

    private static String shortName(String name) {
        return name.replaceFirst(
                "^k8s\\.io/(api|apimachinery/pkg/apis|apimachinery/pkg|apiextensions-apiserver/pkg/apis|kube-aggregator/pkg/apis)/",
                "");
    }

    private void parse(Path file, String packagePath) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> imports = new TreeMap<>();
        boolean nullable = false;
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index);
            Matcher imported = IMPORT.matcher(line);
            if (imported.matches()) {
                String path = imported.group(2);
                imports.put(
                        Optional.ofNullable(imported.group(1)).orElse(path.substring(path.lastIndexOf('/') + 1)), path);
            }
            Matcher group = GROUP.matcher(line);
            if (group.find()) {
                groups.put(packagePath, group.group(1));
            }
            if (line.startsWith("//")) {
                nullable |= line.contains("+protobuf.nullable=true");
                continue;
            }
            Matcher type = TYPE.matcher(line);
            if (type.matches()) {
                String body = type.group(2).replaceFirst("\\s*//.*", "").strip();
                if (body.startsWith("struct")) {
                    index = struct(lines, index, packagePath, type.group(1), imports);
                } else if (!body.startsWith("interface") && !body.startsWith("func")) {
                    types.put(
                            packagePath + "." + type.group(1),
                            new GoType(
                                    packagePath,
                                    nullable,
                                    Optional.of(qualified(body, packagePath, imports)),
                                    List.of(),
                                    false));
                }
            }
            nullable = false;
        }
    }

    private int struct(List<String> lines, int start, String packagePath, String name, Map<String, String> imports) {
        List<GoField> fields = new ArrayList<>();
        boolean object = false;
        int index = start;
        if (!lines.get(start).contains("}")) {
            for (index = start + 1; !lines.get(index).startsWith("}"); index++) {
                object |= lines.get(index).strip().startsWith("metav1.TypeMeta")
                        || lines.get(index).strip().startsWith("v1.TypeMeta");
                field(lines.get(index), packagePath, imports).ifPresent(fields::add);
            }
        }
        types.put(
                packagePath + "." + name,
                new GoType(packagePath, false, Optional.empty(), List.copyOf(fields), object));
        return index;
    }

    private Optional<GoField> field(String line, String packagePath, Map<String, String> imports) {
        Matcher field = FIELD.matcher(line);
        if (!field.matches()) {
            return Optional.empty();
        }
        Matcher protobuf = PROTOBUF_TAG.matcher(field.group(3));
        if (!protobuf.find()) {
            return Optional.empty();
        }
        Matcher tag = JSON_TAG.matcher(field.group(3));
        String json = tag.find() ? tag.group(1) : "";
        String type = field.group(2);
        StringBuilder flags = new StringBuilder();
        if (type.startsWith("*")) {
            flags.append('p');
            type = type.substring(1);
        }
        if (json.contains(",omitempty")) {
            flags.append('o');
        }
        if (json.contains(",omitzero")) {
            flags.append('z');
        }
        String jsonName = json.replaceFirst(",.*", "");
        if (json.contains(",inline") || (field.group(1) == null && jsonName.isEmpty())) {
            flags.append('i');
        }
        if (jsonName.isEmpty() || jsonName.equals("-")) {
            jsonName = Optional.ofNullable(protobuf.group(4)).orElse("-");
        }
        return Optional.of(new GoField(
                Integer.parseInt(protobuf.group(2)),
                flags.isEmpty() ? "-" : flags.toString(),
                jsonName,
                qualified(type, packagePath, imports)));
    }

    /** The type with the full path of its package. */
    private static String qualified(String type, String packagePath, Map<String, String> imports) {
        if (type.startsWith("[]")) {
            return "[]" + qualified(type.substring(2), packagePath, imports);
        }
        if (type.startsWith("*")) {
            return qualified(type.substring(1), packagePath, imports);
        }
        if (type.startsWith("map[")) {
            int end = type.indexOf(']') + 1;
            return type.substring(0, end) + qualified(type.substring(end), packagePath, imports);
        }
        int dot = type.indexOf('.');
        if (dot >= 0) {
            return imports.getOrDefault(type.substring(0, dot), type.substring(0, dot)) + type.substring(dot);
        }
        return Character.isUpperCase(type.charAt(0)) ? packagePath + "." + type : type;
    }

    private String text(List<String> versions) {
        StringBuilder text = new StringBuilder(
                "# How Kubernetes writes its objects into etcd: facts of the API types of k8s.io/api, apimachinery,\n"
                        + "# apiextensions-apiserver and kube-aggregator (Apache-2.0) " + String.join(", ", versions)
                        + ".\n"
                        + "# Made by SchemaGenerator; ObjectTypes has the format.\n");
        schema.forEach((name, fields) -> {
            text.append(name)
                    .append(objects.containsKey(name) ? " " + objects.get(name) : "")
                    .append('\n');
            fields.forEach((number, field) -> text.append(' ')
                    .append(number)
                    .append(' ')
                    .append(field.flags())
                    .append(' ')
                    .append(field.json())
                    .append(' ')
                    .append(field.type())
                    .append('\n'));
        });
        return text.toString();
    }
}
