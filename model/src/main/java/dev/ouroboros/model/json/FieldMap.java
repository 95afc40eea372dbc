package dev.ouroboros.model.json;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object in their order, which never change. Most objects have a handful: two arrays are smaller than a hash table, and
 * what is copied with one field more costs two short copies. The table of larger ones finds their fields.
 */
final class FieldMap extends AbstractMap<String, Json> {
    private static final int FEW = 10;

    private final String[] names;
    private final Json[] values;
    /** Where each name is; empty when there are few. */
    private final Map<String, Integer> table;

    private FieldMap(String[] names, Json[] values) {
        this.names = names;
        this.values = values;
        this.table = names.length <= FEW ? Map.of() : LinkedHashMap.newLinkedHashMap(names.length);
        if (names.length > FEW) {
            for (int index = 0; index < names.length; index++) {
                table.put(names[index], index);
            }
        }
    }

    static FieldMap of(Map<String, Json> fields) {
        if (fields instanceof FieldMap same) {
            return same;
        }
        String[] names = new String[fields.size()];
        Json[] values = new Json[names.length];
        int index = 0;
        for (Map.Entry<String, Json> field : fields.entrySet()) {
            names[index] = field.getKey();
            values[index++] = field.getValue();
        }
        return new FieldMap(names, values);
    }

    private int indexOf(Object name) {
        if (names.length > FEW) {
            return table.getOrDefault(name, -1);
        }
        for (int index = 0; index < names.length; index++) {
            if (names[index].equals(name)) {
                return index;
            }
        }
        return -1;
    }

    FieldMap with(String name, Json value) {
        int index = indexOf(name);
        if (index >= 0) {
            Json[] changed = values.clone();
            changed[index] = value;
            return new FieldMap(names, changed);
        }
        String[] more = new String[names.length + 1];
        Json[] changed = new Json[more.length];
        System.arraycopy(names, 0, more, 0, names.length);
        System.arraycopy(values, 0, changed, 0, names.length);
        more[names.length] = name;
        changed[names.length] = value;
        return new FieldMap(more, changed);
    }

    FieldMap without(String name) {
        int index = indexOf(name);
        if (index < 0) {
            return this;
        }
        String[] fewer = new String[names.length - 1];
        Json[] changed = new Json[fewer.length];
        System.arraycopy(names, 0, fewer, 0, index);
        System.arraycopy(values, 0, changed, 0, index);
        System.arraycopy(names, index + 1, fewer, index, fewer.length - index);
        System.arraycopy(values, index + 1, changed, index, fewer.length - index);
        return new FieldMap(fewer, changed);
    }

    @Override
    public int size() {
        return names.length;
    }

    @Override
    public boolean containsKey(Object name) {
        return indexOf(name) >= 0;
    }

    @Override
    public @Nullable Json get(Object name) {
        int index = indexOf(name);
        return index < 0 ? null : values[index];
    }

    @Override
    public Json getOrDefault(Object name, Json otherwise) {
        int index = indexOf(name);
        return index < 0 ? otherwise : values[index];
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super Json> action) {
        for (int index = 0; index < names.length; index++) {
            action.accept(names[index], values[index]);
        }
    }

    @Override
    public Set<Entry<String, Json>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return names.length;
            }

            @Override
            public Iterator<Entry<String, Json>> iterator() {
                return new Entries();
            }
        };
    }

    private final class Entries implements Iterator<Entry<String, Json>> {
        private int next;

        @Override
        public boolean hasNext() {
            return next < names.length;
        }

        @Override
        public Entry<String, Json> next() {
            if (next == names.length) {
                throw new NoSuchElementException();
            }
            return Map.entry(names[next], values[next++]);
        }
    }
}
