common:
  edit: تعديل
  save: حفظ
  cancel: إلغاء
  delete: حذف
  removeFile: إزالة الملف
  search: بحث
  text: نص البحث
  yes: نعم
  no: لا
  optional: اختياري
  limit: 'الحد الأقصى لعدد الأحرف: {0}'
  invalid: يرجى تصحيح الحقول أدناه.
  actions: الإجراءات
  path: مسار هذه الصفحة
  pages: الصفحات
  first: الصفحة الأولى
  previous: الصفحة السابقة
  next: الصفحة التالية
  last: الصفحة الأخيرة
  size: 'عدد السجلات في الصفحة:'
resource:
  flash:
    created: تم إنشاء السجل.
    updated: تم حفظ التغييرات.
    deleted: تم حذف السجل.
    inUse: لم يُحذف السجل لأن سجلات أخرى لا تزال تحتاج إليه.
  view:
    list: '{{titles}}'
    parent: '{{parent}}'
    detail: '{{title}}'
    new: 'إضافة {{title}}'
    edit: 'تعديل {{title}}'
    add: 'إضافة {{title}}'
    back: العودة إلى القائمة
    confirm: سيُحذف هذا السجل نهائيًا.
    really: حذف نهائي
    empty: لا توجد سجلات بعد.
    count: '{0, plural, zero {لا توجد سجلات} one {سجل واحد} two {سجلان} few {# سجلات} many {# سجلًا} other {# سجل}}'
    more: 'أكثر من {0, number} سجل'
    none: لا توجد سجلات مطابقة.
    all: عرض الكل
  id: ID
